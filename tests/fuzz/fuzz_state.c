/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A state file with any content and a valid checksum. It is loaded completely
 * or rejected completely. Loading, saving and loading again results in the same
 * settings.
 */
#include <string.h>
#include <unistd.h>

#include "lib/log.h"
#include "control/managed_conf.h"
#include "control/persist.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/fake_provider.h"

/*
 * libconfig 1.5 leaks the string it was scanning at a syntax error. Leak
 * detection would also take most of the time.
 */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}
/* ASAN_OPTIONS may switch it on again. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libconfig\n";
}

static char dir[64], path[96];

static void remove_files(void)
{
	unlink(path);
	rmdir(dir);
}

/* In memory if possible: the state file is written and synchronized for each input. */
static void make_directory(void)
{
	if (dir[0])
		return;
	snprintf(dir, sizeof(dir), "/dev/shm/dcb-fuzz-XXXXXX");
	if (!mkdtemp(dir)) {
		snprintf(dir, sizeof(dir), "/tmp/dcb-fuzz-XXXXXX");
		FUZZ_ASSERT(mkdtemp(dir));
	}
	snprintf(path, sizeof(path), "%s/state", dir);
	atexit(remove_files);
}

static struct managed *system_new(struct fake_provider *provider)
{
	static const struct conf conf = {.role = ROLE_STATION, .component_id = 1};
	struct link_info link = {.ifindex = 3, .name = "p3", .alias = "up", .mac = {2}};
	struct provider *const providers[] = {&provider->provider};
	struct provider_refusal why;
	struct managed *m;
	char err[128];

	fake_provider_init(provider);
	provider->has = PROVIDER_CAPS_ALL; /* as for a station */
	m = managed_conf_new(&conf, providers, 1);
	FUZZ_ASSERT(managed_port_add(m, &link, &conf.port_default, err, sizeof(err)));
	link.ifindex = 5;
	snprintf(link.name, sizeof(link.name), "p5");
	link.alias[0] = '\0';
	FUZZ_ASSERT(managed_port_add(m, &link, &conf.port_default, err, sizeof(err)));
	FUZZ_ASSERT(managed_release(m, &why));
	return m;
}

static void write_sealed(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	size_t len = size;
	FILE *f = fopen(path, "w");

	memcpy(text, data, size);
	FUZZ_ASSERT(persist_add_checksum(&text, &len));
	FUZZ_ASSERT(f && fwrite(text, 1, len, f) == len && fclose(f) == 0);
	free(text);
}

/* A port whose values were set, but to the initial ones, is not saved: it is initial afterwards. */
static bool same(const struct dcb_config *a, const struct dcb_config *b)
{
	for (size_t i = 0; i < 2; i++) {
		struct port_config x = *a->ports[i].config, y = *b->ports[i].config;

		x.refs = y.refs = 0;
		x.initial = y.initial = 0;
		if (memcmp(&x, &y, sizeof(x)) != 0)
			return false;
	}
	return memcmp(&a->global, &b->global, sizeof(a->global)) == 0 &&
	       memcmp(a->com_pri, b->com_pri, sizeof(a->com_pri)) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fake_provider first_provider, second_provider, untouched_provider;
	static struct managed *first, *untouched;
	struct managed *second;
	char err[512] = "";

	log_level = LOG_LEVEL_ERROR;
	make_directory();
	write_sealed(data, size);
	if (!untouched)
		untouched = system_new(&untouched_provider);
	if (!first)
		first = system_new(&first_provider);
	if (persist_load(first, path, true, err, sizeof(err)) != PERSIST_LOADED) {
		FUZZ_ASSERT(strstr(err, "/state:"));
		FUZZ_ASSERT(same(first->config, untouched->config)); /* the next input uses it */
		return 0;
	}
	second = system_new(&second_provider);
	FUZZ_ASSERT(persist_save(first, first->config, path) == 0);
	FUZZ_ASSERT(persist_load(second, path, true, err, sizeof(err)) == PERSIST_LOADED);
	FUZZ_ASSERT(same(first->config, second->config));
	managed_free(second);
	managed_free(first);
	first = NULL;
	return 0;
}

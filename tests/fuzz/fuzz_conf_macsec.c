/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A key file with any octets is either read, and then every port that protects frames has a SecY,
 * or refused with a message.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control/conf/conf_macsec.h"
#include "dataplane/core/pfc_headroom.h"
#include "dataplane/macsec/secret.h"
#include "tests/fuzz/fuzz.h"

/* libconfig 1.5 leaks the string it was scanning at a syntax error. */
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

/* open() of conf_macsec.c: the file in memory, which a symbolic link in /proc names. */
int fuzz_open(const char *path, int flags, ...)
{
	int fd = openat(AT_FDCWD, path, flags & ~O_NOFOLLOW);

	FUZZ_ASSERT(fd >= 0 && fchmod(fd, 0600) == 0);
	return fd;
}

static void check_port(const struct macsec_port *port)
{
	static struct secy secy;

	FUZZ_ASSERT(port->name[0] && memchr(port->name, '\0', sizeof(port->name)));
	if (port->mode == PFC_MACSEC_NONE)
		return;
	FUZZ_ASSERT(port->transmit_an < SECTAG_ANS && port->keys[port->transmit_an].is_set);
	FUZZ_ASSERT(secy_init(&secy, &port->secy) == SECY_OK);
	FUZZ_ASSERT(secy_add_rx_sc(&secy, port->peer_sci) == SECY_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct macsec_conf *conf;
	char err[512] = "";

	FUZZ_ASSERT(secret_init() != SECRET_FAILED);
	conf = conf_macsec_read(fuzz_file(data, size), geteuid(), err, sizeof(err));
	FUZZ_ASSERT((conf == NULL) == (err[0] != '\0'));
	if (conf) {
		FUZZ_ASSERT(conf->n_ports <= MACSEC_PORTS_MAX);
		for (size_t i = 0; i < conf->n_ports; i++)
			check_port(&conf->ports[i]);
	}
	conf_macsec_free(conf);
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A key file with any octets is either read, and then every port that protects frames has a SecY,
 * or refused with a message, which has no key.
 */
#include <ctype.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control/conf/conf_macsec.h"
#include "dataplane/core/pfc_headroom.h"
#include "dataplane/macsec/secret.h"
#include "tests/fuzz/fuzz.h"

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

/* A name of a port, at most 15 octets, can look like digits too. */
static void check_error(const char *err)
{
	size_t digits = 0;

	for (; *err; err++) {
		digits = isxdigit((unsigned char)*err) ? digits + 1 : 0;
		FUZZ_ASSERT(digits < 16);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct macsec_conf *conf;
	char err[512] = "";

	FUZZ_ASSERT(secret_init() != SECRET_FAILED);
	conf = conf_macsec_read(fuzz_file(data, size), geteuid(), err, sizeof(err));
	FUZZ_ASSERT((conf == NULL) == (err[0] != '\0'));
	check_error(err);
	if (conf) {
		FUZZ_ASSERT(conf->n_ports <= MACSEC_PORTS_MAX);
		for (size_t i = 0; i < conf->n_ports; i++)
			check_port(&conf->ports[i]);
	}
	conf_macsec_free(conf);
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads a key file: MACsec with static keys, lines of settings and keys for each port. Only root or
 * the user of dcbd can own the file, and only its owner can read or write it, or this user by an
 * access control list. The file and its keys are in locked memory only (secret.h), and errors never
 * show a key. Choice: no file of libconfig, which frees memory without overwriting it.
 *
 *	port eth0
 *	mode all                      # none, data, all
 *	cipher_suite GCM-AES-XPN-128
 *	sci 02:00:00:00:00:01/1       # of this port
 *	peer_sci 02:00:00:00:00:02/1
 *	transmit_an 0
 *	pfc_channel true              # at both ends, with mode all only
 *	key 0 <32 hexadecimal digits> <24 of the salt>
 *
 * Both ends have the same keys with the same AN.
 */
#ifndef DCB_CONTROL_CONF_CONF_MACSEC_H
#define DCB_CONTROL_CONF_CONF_MACSEC_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "dataplane/macsec/secy.h"

#define MACSEC_PN_RESERVE      (1 << 24) /* default of pn_reserve */
#define MACSEC_PORTS_MAX       64
#define MACSEC_FILE_OCTETS_MAX 65536

struct macsec_key {
	bool is_set;
	uint8_t key[SAK_OCTETS_MAX];
	uint8_t salt[SAK_SALT_OCTETS]; /* XPN only */
};

struct macsec_port {
	char name[IF_NAMESIZE];
	uint8_t mode;            /* enum pfc_macsec */
	uint8_t transmit_an;     /* AN of the key that protects frames; it is set */
	bool pfc_channel;        /* PFC frames have a transmit SC of their own at both ends */
	uint32_t pn_reserve;     /* packet numbers to reserve at once: control/macsec.h */
	struct secy_config secy; /* with the SCI of the port */
	uint64_t peer_sci;
	struct macsec_key keys[SECTAG_ANS]; /* by AN */
};

/* In locked memory. */
struct macsec_conf {
	size_t n_ports;
	struct macsec_port ports[MACSEC_PORTS_MAX];
};

/*
 * Reads the file at path, after secret_init(). user: who may have access besides root. The caller
 * calls conf_macsec_free(), as soon as the keys are installed. NULL: err is "file:line: reason" or
 * "file: reason". Control thread.
 */
struct macsec_conf *conf_macsec_read(const char *path, uid_t user, char *err, size_t errlen);
void conf_macsec_free(struct macsec_conf *conf);

/* Returns the settings of a port; NULL: the file has none. */
const struct macsec_port *conf_macsec_port(const struct macsec_conf *conf, const char *ifname);

/* The modes of ports, without their keys: what the headroom of a port depends on. */
struct macsec_modes {
	size_t n;
	struct {
		char name[IF_NAMESIZE];
		uint8_t mode; /* enum pfc_macsec, not none */
	} of[MACSEC_PORTS_MAX];
};

/* Adds a port whose mode is not none. At most MACSEC_PORTS_MAX. */
void macsec_modes_add(struct macsec_modes *modes, const char *ifname, uint8_t mode);

/* Returns the mode of a port, as settings.macsec of a port has it; 0: it has no MACsec. */
uint8_t macsec_modes_find(const struct macsec_modes *modes, const char *ifname);

/* Returns the SCI of a channel, 0 or 1, of an end with this SCI: 802.1AE 10.7.17. */
static inline uint64_t macsec_channel_sci(uint64_t sci, unsigned int channel)
{
	return sci | (uint64_t)channel << 12;
}

/*
 * Returns the Short SCI that an SCI of the port or of its peer has with XPN. Choice: as with key
 * agreement by IEEE Std 802.1X, see 802.1AE 10.7.13: the greatest SCI that uses the key has 1, the
 * next 2.
 */
uint32_t macsec_ssci(const struct macsec_port *port, uint64_t sci);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes captures of CNMs and CN-tagged frames from the encoder of dcbd, to test a
 * dissector.
 *
 *   cnm_capture whole FILE
 *     CNMs with every MSDU length, CNMs truncated at every length, CNMs with wrong
 *     lengths, and CN-tagged data. Prints the expected fields, one line a frame,
 *     in the order of dissector.sh, separated by tabs.
 *   cnm_capture cut FILE
 *     one CNM, captured with every snapshot length.
 */
#include "dataplane/core/cnm.h"
#include "lib/octets.h"
#include "lib/rng.h"

#include <inttypes.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAME_MAX 256

static const uint8_t cp_mac[ETH_ADDR_OCTETS] = {0x02, 0, 0, 0, 0, 0xcb};
static const uint8_t cpid[CNM_CPID_OCTETS] = {0x02, 0, 0, 0, 0, 0xcb, 0x00, 0x03};

/* IPv4 and UDP to port 9 (discard), 62 octets with their EtherType. */
static const uint8_t datagram[62] = {0x08, 0x00, 0x45, 0,   0, 60, 0, 0,   0,    0,   64,
				     17,   0,    0,    192, 0, 2,  1, 192, 0,    2,   2,
				     0x30, 0x39, 0,    9,   0, 40, 0, 0,   0xda, 0x7a};

struct capture {
	pcap_t *format;
	pcap_dumper_t *out;
	uint32_t n;
};

static void __attribute__((noreturn)) die(const char *what)
{
	fprintf(stderr, "cnm_capture: %s\n", what);
	exit(1);
}

static void write_frame(struct capture *c, const uint8_t *frame, uint32_t caplen, uint32_t len)
{
	struct pcap_pkthdr head = {.ts = {.tv_sec = ++c->n}, .caplen = caplen, .len = len};

	pcap_dump((u_char *)c->out, &head, frame);
}

static void print_octets(const char *separator, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		printf("%s%02x", i ? separator : "", p[i]);
	putchar('\t');
}

static void print_addresses(const uint8_t *frame, const struct eth_view *view)
{
	print_octets(":", frame + ETH_DA_OFFSET, ETH_ADDR_OCTETS);
	print_octets(":", frame + ETH_SA_OFFSET, ETH_ADDR_OCTETS);
	if (view->tagged)
		printf("%u\t%u\t", view->vid, view->priority);
	else
		printf("\t\t");
	printf("%u\t", view->flow_id);
}

/* Prints the fields of a complete CNM and the dissector's expert message. */
static void print_cnm(const struct cnm *cnm, uint16_t msdu_len, size_t msdu_seen,
		      const char *message)
{
	printf("%u\t%u\t", cnm->version, cnm->qntz_fb);
	print_octets(":", cnm->cpid, sizeof(cnm->cpid));
	printf("%d\t%d\t%u\t", cnm->cnm_qoffset, cnm->cnm_qdelta, cnm->encap_priority);
	print_octets(":", cnm->encap_da, sizeof(cnm->encap_da));
	printf("%u\t", msdu_len);
	print_octets("", cnm->msdu, msdu_seen);
	printf("%s\n", message);
}

/* Makes a frame to be sampled, with or without C-TAG and CN-TAG. Returns its length in octets. */
static uint32_t data_frame(uint8_t *frame, bool tagged, uint16_t flow_id)
{
	struct octets_out out = octets_out(frame, FRAME_MAX);

	octets_out_bytes(&out, (const uint8_t[]){0x02, 0, 0, 0, 0, 2}, ETH_ADDR_OCTETS);
	octets_out_bytes(&out, (const uint8_t[]){0x02, 0, 0, 0, 0, 1}, ETH_ADDR_OCTETS);
	if (tagged) {
		octets_out_be16(&out, ETH_TYPE_CTAG);
		octets_out_be16(&out, 3 << 13 | 100);
	}
	if (flow_id) {
		octets_out_be16(&out, ETH_TYPE_CN_TAG);
		octets_out_be16(&out, flow_id);
	}
	octets_out_bytes(&out, datagram, sizeof(datagram));
	memset(frame + out.len, 0x5a, FRAME_MAX - out.len);
	return (uint32_t)out.len + 16;
}

/* Inserts a C-TAG, as a bridge does if the sampled frame had one. Returns the new length. */
static uint32_t put_ctag(uint8_t *frame, uint32_t len, uint16_t tci)
{
	memmove(frame + ETH_TYPE_OFFSET + ETH_TAG_OCTETS, frame + ETH_TYPE_OFFSET,
		len - ETH_TYPE_OFFSET);
	put_be16(frame + ETH_TYPE_OFFSET, ETH_TYPE_CTAG);
	put_be16(frame + ETH_TYPE_OFFSET + 2, tci);
	return len + ETH_TAG_OCTETS;
}

/* Makes a CNM with so many octets of the sampled frame's MSDU. Returns the frame's length. */
static uint32_t make_cnm(struct dcb_rng *rng, uint8_t *frame, struct cnm *cnm, uint8_t octets)
{
	const struct cp_verdict verdict = {
	    .qntz_fb = (uint8_t)dcb_rng_uniform(rng, 0, CP_QNTZ_FB_MAX),
	    .cp_qoffset = (int64_t)dcb_rng_uniform(rng, 0, 6000000) - 3000000,
	    .cp_qdelta = (int64_t)dcb_rng_uniform(rng, 0, 6000000) - 3000000,
	};
	uint8_t data[FRAME_MAX];
	bool tagged = octets % 2;
	uint16_t flow_id = octets % 3 ? (uint16_t)dcb_rng_uniform(rng, 1, UINT16_MAX) : 0;
	uint32_t len = data_frame(data, tagged, flow_id);
	struct eth_view view;

	if (eth_parse(data, len, &view) != ETH_OK)
		die("eth_parse() rejects a data frame");
	memcpy(cnm->cpid, cpid, sizeof(cpid));
	cnm_of_frame(cnm, &verdict, data, len, &view, octets % 8, octets);
	len = cnm_frame(frame, cnm, data + ETH_SA_OFFSET, cp_mac, flow_id);
	return tagged ? put_ctag(frame, len, 6 << 13 | 100) : len;
}

static void add_cnms(struct capture *c, struct dcb_rng *rng)
{
	for (uint8_t octets = 0; octets <= CNM_MSDU_MAX; octets++) {
		uint8_t frame[FRAME_MAX];
		struct cnm cnm;
		struct eth_view view;
		uint32_t len = make_cnm(rng, frame, &cnm, octets);

		if (eth_parse(frame, len, &view) != ETH_OK)
			die("eth_parse() rejects a CNM");
		write_frame(c, frame, len, len);
		print_addresses(frame, &view);
		print_cnm(&cnm, cnm.msdu_len, cnm.msdu_len, "");
	}
}

/* Adds CNMs truncated at each octet after the EtherType, and one with too long an MSDU. */
static void add_malformed(struct capture *c, struct dcb_rng *rng)
{
	uint8_t frame[FRAME_MAX];
	struct cnm cnm, none;
	struct eth_view view;
	uint32_t len = make_cnm(rng, frame, &cnm, CNM_MSDU_MAX), cut;

	if (eth_parse(frame, len, &view) != ETH_OK)
		die("eth_parse() rejects a CNM");
	for (cut = view.payload_offset + 1u; cut < len; cut++) {
		enum cnm_error error =
		    cnm_decode(frame + view.payload_offset, cut - view.payload_offset, &none);

		write_frame(c, frame, cut, cut);
		print_addresses(frame, &view);
		if (error == CNM_SHORT)
			printf("\t\t\t\t\t\t\t\t\t%s\n", cnm_strerror(error));
		else
			print_cnm(&cnm, cnm.msdu_len, 0, cnm_strerror(error));
	}
	put_be16(frame + view.payload_offset + 22, CNM_MSDU_MAX + 1);
	write_frame(c, frame, len, len);
	print_addresses(frame, &view);
	print_cnm(&cnm, CNM_MSDU_MAX + 1, 0,
		  cnm_strerror(
		      cnm_decode(frame + view.payload_offset, len - view.payload_offset, &none)));
}

/* Adds a CNM with bits that receivers ignore: Version, ReservedV, reserved bits of the priority. */
static void add_ignored(struct capture *c, struct dcb_rng *rng)
{
	uint8_t frame[FRAME_MAX], *pdu;
	struct cnm cnm;
	struct eth_view view;
	uint32_t len = make_cnm(rng, frame, &cnm, 0);

	if (eth_parse(frame, len, &view) != ETH_OK)
		die("eth_parse() rejects a CNM");
	pdu = frame + view.payload_offset;
	put_be16(pdu, get_be16(pdu) | 0xffc0);
	put_be16(pdu + 14, get_be16(pdu + 14) | 0x1fff);
	if (cnm_decode(pdu, len - view.payload_offset, &cnm) != CNM_OK)
		die("cnm_decode() rejects a CNM");
	write_frame(c, frame, len, len);
	print_addresses(frame, &view);
	print_cnm(&cnm, 0, 0, "Unknown version, read as if it were 0");
}

static void add_data(struct capture *c)
{
	for (unsigned int tagged = 0; tagged < 2; tagged++) {
		uint8_t frame[FRAME_MAX];
		uint32_t len = data_frame(frame, tagged, 4711);
		struct eth_view view;

		if (eth_parse(frame, len, &view) != ETH_OK)
			die("eth_parse() rejects a data frame");
		write_frame(c, frame, len, len);
		print_addresses(frame, &view);
		printf("\t\t\t\t\t\t\t\t\t\n");
	}
}

static void add_cut(struct capture *c, struct dcb_rng *rng)
{
	uint8_t frame[FRAME_MAX];
	struct cnm cnm;
	uint32_t len = make_cnm(rng, frame, &cnm, CNM_MSDU_MAX);

	for (uint32_t caplen = ETH_HEADER_OCTETS; caplen <= len; caplen++)
		write_frame(c, frame, caplen, len);
}

int main(int argc, char **argv)
{
	struct capture c = {.format = pcap_open_dead(DLT_EN10MB, FRAME_MAX)};
	struct dcb_rng rng;

	if (argc != 3)
		die("usage: cnm_capture whole|cut FILE");
	c.out = c.format ? pcap_dump_open(c.format, argv[2]) : NULL;
	if (!c.out)
		die("cannot write the capture");
	dcb_rng_seed(&rng, 8021, 1);
	if (strcmp(argv[1], "cut") == 0) {
		add_cut(&c, &rng);
	} else {
		add_cnms(&c, &rng);
		add_malformed(&c, &rng);
		add_ignored(&c, &rng);
		add_data(&c);
	}
	pcap_dump_close(c.out);
	pcap_close(c.format);
	return 0;
}

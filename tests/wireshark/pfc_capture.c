/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes PFC frames from the encoder of dcbd, to test the dissector of Wireshark.
 *
 *   pfc_capture FILE
 *     a capture of frames with every priority enable vector and random times, then
 *     one with a wrong destination address. Prints the expected fields, one line a
 *     frame, in the order of pfc.sh, separated by tabs; the last one is 1 if the
 *     decoder of dcbd rejects the frame.
 */
#include "dataplane/core/pfc_pdu.h"
#include "lib/rng.h"

#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>

#define SNAPLEN 256

struct capture {
	pcap_t *format;
	pcap_dumper_t *out;
	uint32_t n;
};

static void add(struct capture *c, const struct pfc_pdu *pdu, const uint8_t *frame)
{
	struct pcap_pkthdr head = {.caplen = PFC_FRAME_OCTETS, .len = PFC_FRAME_OCTETS};
	struct pfc_pdu read;

	head.ts.tv_sec = ++c->n;
	pcap_dump((u_char *)c->out, &head, frame);
	for (unsigned i = 0; i < 2 * ETH_ADDR_OCTETS; i++)
		printf("%02x%c", frame[i], i % ETH_ADDR_OCTETS == ETH_ADDR_OCTETS - 1 ? '\t' : ':');
	printf("0x%04x\t0x%04x", PFC_OPCODE, pdu->enable);
	for (unsigned i = 0; i < DCB_PRIORITIES; i++)
		printf("\t%u", pdu->enable >> i & 1 ? pdu->time[i] : 0);
	printf("\t%s\n", pfc_pdu_decode(frame, PFC_FRAME_OCTETS, &read) == PFC_PDU_OK ? "" : "1");
}

static uint16_t some_time(struct dcb_rng *rng)
{
	static const uint16_t particular[] = {0, 1, 0x00ff, 0x0100, 0x7fff, 0x8000, 0xffff};
	uint32_t kind = dcb_rng_uniform(rng, 0, 13);

	return kind < 7 ? particular[kind] : (uint16_t)dcb_rng_next(rng);
}

static void add_all(struct capture *c)
{
	struct pfc_pdu pdu = {.source = {0x02, 0, 0, 0, 0, 0x77}};
	uint8_t frame[PFC_FRAME_OCTETS];
	struct dcb_rng rng;

	dcb_rng_seed(&rng, 1, 1);
	for (unsigned i = 0; i < 1024; i++) {
		pdu.enable = (uint8_t)i;
		for (unsigned n = 0; n < DCB_PRIORITIES; n++)
			pdu.time[n] = some_time(&rng);
		pfc_pdu_encode(&pdu, frame);
		add(c, &pdu, frame);
	}
	frame[5] = 2;
	add(c, &pdu, frame);
}

int main(int argc, char **argv)
{
	struct capture c = {.format = pcap_open_dead(DLT_EN10MB, SNAPLEN)};

	if (argc != 2 || !c.format || !(c.out = pcap_dump_open(c.format, argv[1]))) {
		fprintf(stderr, "usage: pfc_capture FILE\n");
		return 2;
	}
	add_all(&c);
	pcap_dump_close(c.out);
	pcap_close(c.format);
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes LLDPDUs with the congestion notification and DCBX TLVs from the encoder of
 * dcbd, to test the dissector of Wireshark.
 *
 *   lldp_capture FILE
 *     a capture of LLDPDUs, each with one TLV of every kind and random contents.
 *     Prints the expected fields, one line an LLDPDU, in the order of lldp.sh,
 *     separated by tabs; the values of a field that occurs more than once are
 *     separated by commas. Then come the octets of the Application VLAN TLV and of the
 *     PFC delay, and at last the fields that contrib/wireshark/dcb.lua adds.
 *   lldp_capture FILE lengths
 *     a capture of LLDPDUs with one PFC or PFC delay TLV, of 0 to 9 octets after the subtype.
 */
#include "dataplane/core/eth.h"
#include "lib/octets.h"
#include "lib/rng.h"
#include "lldp/dcb_tlv.h"

#include <inttypes.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LLDPDUS   500
#define FRAME_MAX 1514

/* Destination, source, EtherType; chassis ID and port ID (MAC addresses), TTL. */
static const uint8_t head[] = {
    0x01, 0x80, 0xc2, 0, 0, 0x0e, 0x02, 0, 0, 0, 0, 7, 0x88, 0xcc, 0x02, 0x07, 4, 2,
    0,    0,    0,    0, 7, 0x04, 0x07, 3, 2, 0, 0, 0, 0,    7,    0x06, 0x02, 0, 120,
};

static void __attribute__((noreturn)) die(const char *what)
{
	fprintf(stderr, "lldp_capture: %s\n", what);
	exit(1);
}

static void add(struct octets_out *out, const struct dcb_tlvs *tlvs, enum dcb_tlv tlv)
{
	uint8_t info[DCB_TLV_INFO_OCTETS];
	size_t len = dcb_tlvs_encode(tlvs, tlv, info);

	octets_out_be16(out, (uint16_t)(127 << 9 | (sizeof(dcb_tlv_oui) + 1 + len)));
	octets_out_bytes(out, dcb_tlv_oui, sizeof(dcb_tlv_oui));
	octets_out_u8(out, dcb_tlv_subtype(tlv));
	octets_out_bytes(out, info, len);
}

/* The PFC delay TLV is the last, behind the Application VLAN TLV. */
static uint32_t make(const struct dcb_tlvs *tlvs, uint8_t *frame)
{
	struct octets_out out = octets_out(frame, FRAME_MAX);

	octets_out_bytes(&out, head, sizeof(head));
	for (unsigned tlv = 0; tlv < DCB_TLVS; tlv++)
		if (tlv != DCB_TLV_PFC_DELAY)
			add(&out, tlvs, tlv);
	add(&out, tlvs, DCB_TLV_PFC_DELAY);
	octets_out_be16(&out, 0);
	if (out.overrun)
		die("an LLDPDU does not fit into a frame");
	return (uint32_t)out.len;
}

/* --- expected fields --------------------------------------------------------------- */

static void print_bits(uint8_t mask)
{
	for (unsigned i = 0; i < DCB_PRIORITIES; i++)
		printf("%u\t", mask >> i & 1);
}

/* Prints a table of the ETS configuration TLV with that of the ETS recommendation TLV. */
static void print_table(const uint8_t *ets, const uint8_t *reco)
{
	for (unsigned i = 0; i < DCB_PRIORITIES; i++)
		printf("%u,%u\t", ets[i], reco[i]);
}

static void print_apps(const struct app_tlv *app)
{
	for (unsigned i = 0; i < app->n; i++)
		printf("%s%u", i ? "," : "", app->of[i].priority);
	putchar('\t');
	for (unsigned i = 0; i < app->n; i++)
		printf("%s%u", i ? "," : "", app->of[i].selector);
	putchar('\t');
	for (unsigned i = 0; i < app->n; i++)
		printf("%s0x%04x", i ? "," : "", app->of[i].protocol);
	putchar('\t');
}

/* The fields of a TLV of length 7 are empty for one of length 6. */
static void print_pfc(const struct pfc_tlv *pfc)
{
	printf("\t%u\t%u\t%u\t0x%02x", pfc->willing, pfc->mbc, pfc->cap, pfc->enable);
	if (pfc->qdt)
		printf("\t%u\t%u\t%u\t%u", pfc->macsec, pfc->privacy, pfc->rtm, pfc->ptp);
	else
		printf("\t\t\t\t");
}

static void print(const struct dcb_tlvs *tlvs)
{
	const struct ets_tables *ets = &tlvs->ets.tables, *reco = &tlvs->reco;

	print_bits(tlvs->cn.cnpv);
	print_bits(tlvs->cn.ready);
	printf("%u,%u\t%u\t%u\t", tlvs->ets.willing, tlvs->pfc.willing, tlvs->ets.cbs,
	       tlvs->ets.max_tcs % 8);
	print_table(ets->priority_tc, reco->priority_tc);
	print_table(ets->bandwidth, reco->bandwidth);
	print_table(ets->tsa, reco->tsa);
	printf("%u\t%u\t", tlvs->pfc.mbc, tlvs->pfc.cap);
	print_bits(tlvs->pfc.enable);
	print_apps(&tlvs->app);
	for (unsigned i = 0; i < tlvs->app_vlan.n; i++)
		printf("%03x%x%04x", (unsigned)tlvs->app_vlan.of[i].vlan,
		       (unsigned)tlvs->app_vlan.of[i].selector,
		       (unsigned)tlvs->app_vlan.of[i].protocol);
	putchar('\t');
	for (unsigned i = 0; i < 8; i++)
		printf("%02x", (unsigned)((uint64_t)tlvs->pfc_delay >> (56 - 8 * i) & 0xff));
	print_pfc(&tlvs->pfc);
	printf("\t%" PRId64 "\n", tlvs->pfc_delay);
}

/* --- contents ---------------------------------------------------------------------- */

static bool flip(struct dcb_rng *rng)
{
	return dcb_rng_next(rng) & 1;
}

static void draw_tables(struct dcb_rng *rng, struct ets_tables *ets)
{
	static const uint8_t algorithms[] = {TSA_STRICT, TSA_CREDIT_BASED_SHAPER, TSA_ETS,
					     TSA_VENDOR};

	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		ets->priority_tc[i] = (uint8_t)dcb_rng_uniform(rng, 0, 7);
		ets->bandwidth[i] = (uint8_t)dcb_rng_uniform(rng, 0, 100);
		ets->tsa[i] = algorithms[dcb_rng_uniform(rng, 0, 3)];
	}
}

static void draw_apps(struct dcb_rng *rng, struct app_tlv *app)
{
	app->n = (uint16_t)dcb_rng_uniform(rng, 0, flip(rng) ? 3 : APP_TLV_MAX);
	for (unsigned i = 0; i < app->n; i++)
		app->of[i] = (struct app_priority){
		    .selector = (uint8_t)dcb_rng_uniform(rng, 1, 5),
		    .priority = (uint8_t)dcb_rng_uniform(rng, 0, 7),
		    .protocol = (uint16_t)dcb_rng_next(rng),
		};
}

static void draw_app_vlans(struct dcb_rng *rng, struct app_vlan_tlv *app)
{
	app->n = (uint16_t)dcb_rng_uniform(rng, 0, flip(rng) ? 3 : APP_VLAN_TLV_MAX);
	for (unsigned i = 0; i < app->n; i++)
		app->of[i] = (struct app_vlan){
		    .selector = (uint16_t)dcb_rng_uniform(rng, 1, 5),
		    .vlan = (uint16_t)dcb_rng_uniform(rng, APP_VLAN_ID_MIN, APP_VLAN_ID_MAX),
		    .protocol = (uint16_t)dcb_rng_next(rng),
		};
}

static struct dcb_tlvs draw(struct dcb_rng *rng)
{
	struct dcb_tlvs tlvs = {
	    .cn = {(uint8_t)dcb_rng_next(rng), (uint8_t)dcb_rng_next(rng)},
	    .ets = {flip(rng), flip(rng), (uint8_t)dcb_rng_uniform(rng, 1, 8), {{0}, {0}, {0}}},
	    .pfc = {.willing = flip(rng),
		    .mbc = flip(rng),
		    .cap = (uint8_t)dcb_rng_uniform(rng, 0, 15),
		    .enable = (uint8_t)dcb_rng_next(rng),
		    .qdt = flip(rng),
		    .macsec = flip(rng),
		    .privacy = flip(rng),
		    .rtm = flip(rng),
		    .ptp = flip(rng)},
	    .pfc_delay = (int64_t)((uint64_t)dcb_rng_next(rng) << 32 | dcb_rng_next(rng)),
	};

	draw_tables(rng, &tlvs.ets.tables);
	draw_tables(rng, &tlvs.reco);
	draw_apps(rng, &tlvs.app);
	draw_app_vlans(rng, &tlvs.app_vlan);
	return tlvs;
}

static void record(pcap_dumper_t *out, const uint8_t *frame, uint32_t len)
{
	static int n;
	struct pcap_pkthdr head_of = {.ts = {.tv_sec = ++n}, .caplen = len, .len = len};

	pcap_dump((u_char *)out, &head_of, frame);
}

static void write_random(pcap_dumper_t *out)
{
	struct dcb_rng rng;

	dcb_rng_seed(&rng, 8021, 1);
	for (int n = 1; n <= LLDPDUS; n++) {
		struct dcb_tlvs tlvs = draw(&rng);
		uint8_t frame[FRAME_MAX];

		record(out, frame, make(&tlvs, frame));
		print(&tlvs);
	}
}

static void write_lengths(pcap_dumper_t *out)
{
	static const uint8_t subtypes[] = {0x0b, 0x17};
	static const uint8_t zeros[9];

	for (unsigned i = 0; i < 20; i++) {
		uint8_t frame[FRAME_MAX];
		struct octets_out to = octets_out(frame, sizeof(frame));
		unsigned len = i / 2;

		octets_out_bytes(&to, head, sizeof(head));
		octets_out_be16(&to, (uint16_t)(127 << 9 | (sizeof(dcb_tlv_oui) + 1 + len)));
		octets_out_bytes(&to, dcb_tlv_oui, sizeof(dcb_tlv_oui));
		octets_out_u8(&to, subtypes[i % 2]);
		octets_out_bytes(&to, zeros, len);
		octets_out_be16(&to, 0);
		record(out, frame, (uint32_t)to.len);
	}
}

int main(int argc, char **argv)
{
	pcap_t *format = pcap_open_dead(DLT_EN10MB, FRAME_MAX);
	pcap_dumper_t *out;

	if (argc < 2 || argc > 3 || (argc == 3 && strcmp(argv[2], "lengths") != 0))
		die("usage: lldp_capture FILE [lengths]");
	out = format ? pcap_dump_open(format, argv[1]) : NULL;
	if (!out)
		die("cannot write the capture");
	if (argc == 3)
		write_lengths(out);
	else
		write_random(out);
	pcap_dump_close(out);
	pcap_close(format);
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The TRILL codec as a filter, for tests with a second implementation. Reads commands from standard
 * input, one a line, and answers each with a line. Numbers are decimal, octets hexadecimal.
 *
 *   parse FRAME
 *     ok MULTI OPLEN HOPS EGRESS INGRESS VID PCP DEI CNTAGGED FLOW TYPE, or the reason
 *   encapsulate OUTER MULTI HOPS EGRESS INGRESS VID PCP DEI KEEP FRAME
 *   transit OUTER PCP DEI KEEP FRAME
 *     OUTER: TAGGED DA SA VID PCP DEI; the frame written
 *   decapsulate TAGGED VID PCP DEI KEEP FRAME
 *     the frame written
 *   transform NICKNAME CNM
 *     the number of the verdict, and for 0 and 1: EGRESS VID PRIORITY CNM
 *   sample CPID FB QOFFSET QDELTA MAC INNER_PRIORITY CNM_PRIORITY OCTETS FRAME
 *     EGRESS VID PRIORITY CNM
 */
#include "dataplane/trill/trill_cnm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAME_MAX 4096

static void __attribute__((noreturn)) die(const char *what)
{
	fprintf(stderr, "frames: %s\n", what);
	exit(1);
}

static const char *word(void)
{
	const char *text = strtok(NULL, " \n");

	if (!text)
		die("a word is missing");
	return text;
}

static long number(void)
{
	const char *text = word();
	char *end;
	long value = strtol(text, &end, 10);

	if (end == text || *end)
		die("expected a number");
	return value;
}

/* Returns the octets read. */
static uint32_t octets(uint8_t *to, size_t size)
{
	const char *text = word();
	uint32_t n = 0;
	unsigned int octet;

	for (; n < size && sscanf(text + 2 * n, "%2x", &octet) == 1; n++)
		to[n] = (uint8_t)octet;
	if (strlen(text) != 2 * n)
		die("expected octets");
	return n;
}

static void print_octets(const uint8_t *p, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++)
		printf("%02x", p[i]);
	putchar('\n');
}

static struct trill_outer read_outer(void)
{
	struct trill_outer outer = {.tagged = number()};

	octets(outer.da, sizeof(outer.da));
	octets(outer.sa, sizeof(outer.sa));
	outer.vid = (uint16_t)number();
	outer.priority = (uint8_t)number();
	outer.drop_eligible = number();
	return outer;
}

static void read_priority(struct trill_tags *tags)
{
	tags->priority = (uint8_t)number();
	tags->drop_eligible = number();
	tags->keep_cn_tag = number();
}

/* Reads a frame; a copy of exactly its length, so that sanitizers detect a read behind it. */
static uint8_t *read_frame(uint32_t *len, struct eth_view *view)
{
	uint8_t frame[FRAME_MAX], *copy;

	*len = octets(frame, sizeof(frame));
	copy = malloc(*len);
	if (!copy)
		die("out of memory");
	memcpy(copy, frame, *len);
	if (eth_parse(copy, *len, view) != ETH_OK)
		die("no Ethernet frame");
	return copy;
}

static uint8_t *read_trill(uint32_t *len, struct trill_view *view)
{
	struct eth_view outer;
	uint8_t *frame = read_frame(len, &outer);

	if (trill_parse(frame, *len, &outer, view) != TRILL_OK)
		die("no TRILL frame");
	return frame;
}

static void parse(void)
{
	struct eth_view outer;
	struct trill_view v;
	uint32_t len;
	uint8_t *frame = read_frame(&len, &outer);
	enum trill_error error = trill_parse(frame, len, &outer, &v);

	if (error)
		puts(trill_strerror(error));
	else
		printf("ok %d %u %u %u %u %u %u %d %d %u %u\n", v.multi, v.op_words, v.hop_count,
		       v.egress, v.ingress, v.inner.vid, v.inner.priority, v.inner.drop_eligible,
		       v.inner.cn_tagged, v.inner.flow_id, v.inner.ethertype);
	free(frame);
}

static void encapsulate(void)
{
	const struct trill_outer outer = read_outer();
	struct trill_header header = {.multi = number()};
	struct trill_tags tags = {0};
	uint8_t out[FRAME_MAX + TRILL_ENCAPSULATION_MAX], *frame;
	struct eth_view view;
	uint32_t len;

	header.hop_count = (uint8_t)number();
	header.egress = (uint16_t)number();
	header.ingress = (uint16_t)number();
	tags.vid = (uint16_t)number();
	read_priority(&tags);
	frame = read_frame(&len, &view);
	print_octets(out, trill_encapsulate(out, &outer, &header, &tags, frame, len, &view));
	free(frame);
}

static void transit(void)
{
	const struct trill_outer outer = read_outer();
	struct trill_tags tags = {0};
	uint8_t out[FRAME_MAX + ETH_TAG_OCTETS], *frame;
	struct trill_view view;
	uint32_t len;

	read_priority(&tags);
	frame = read_trill(&len, &view);
	print_octets(out, trill_transit(out, &outer, &tags, frame, len, &view));
	free(frame);
}

static void decapsulate(void)
{
	struct trill_tags tags = {.tagged = number()};
	uint8_t out[FRAME_MAX], *frame;
	struct trill_view view;
	uint32_t len;

	tags.vid = (uint16_t)number();
	read_priority(&tags);
	frame = read_trill(&len, &view);
	print_octets(out, trill_decapsulate(out, &tags, frame, len, &view));
	free(frame);
}

static void print_cnm(const struct trill_cnm *cnm)
{
	printf("%u %u %u ", cnm->egress, cnm->vid, cnm->priority);
	print_octets(cnm->frame, cnm->len);
}

static void transform(void)
{
	uint16_t nickname = (uint16_t)number();
	struct eth_view view;
	struct trill_cnm cnm;
	uint32_t len;
	uint8_t *frame = read_frame(&len, &view);
	enum trill_cnm_verdict verdict =
	    trill_cnm_transform(frame, len, &view, view.priority, nickname, &cnm);

	printf("%d", verdict);
	if (verdict == TRILL_CNM_TRANSFORMED || verdict == TRILL_CNM_NATIVE) {
		putchar(' ');
		print_cnm(&cnm);
	} else {
		putchar('\n');
	}
	free(frame);
}

static void sample(void)
{
	uint8_t cpid[CNM_CPID_OCTETS], mac[ETH_ADDR_OCTETS], inner, priority, most, *frame;
	struct cp_verdict verdict = {0};
	struct trill_view view;
	struct trill_cnm cnm;
	uint32_t len;

	octets(cpid, sizeof(cpid));
	verdict.qntz_fb = (uint8_t)number();
	verdict.cp_qoffset = number();
	verdict.cp_qdelta = number();
	octets(mac, sizeof(mac));
	inner = (uint8_t)number();
	priority = (uint8_t)number();
	most = (uint8_t)number();
	frame = read_trill(&len, &view);
	trill_cnm_of_frame(&cnm, &verdict, cpid, mac, frame, len, &view, inner, priority, most);
	print_cnm(&cnm);
	free(frame);
}

static const struct {
	const char *name;
	void (*run)(void);
} commands[] = {
    {"parse", parse},         {"encapsulate", encapsulate},
    {"transit", transit},     {"decapsulate", decapsulate},
    {"transform", transform}, {"sample", sample},
};

static void run(const char *name)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (name && strcmp(name, commands[i].name) == 0) {
			commands[i].run();
			return;
		}
	}
	die("unknown command");
}

int main(void)
{
	static char line[4 * FRAME_MAX];

	while (fgets(line, sizeof(line), stdin))
		run(strtok(line, " \n"));
	return 0;
}

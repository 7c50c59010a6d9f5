/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Capture files through libpcap, which reads pcap and pcapng of any byte order and
 * timestamp resolution, and writes pcap with nanosecond timestamps.
 */
#include "dataplane/netio/netio.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct file_io {
	struct netio io;
	pcap_t *in;
	pcap_t *out_format;
	pcap_dumper_t *out;
	struct pcap_pkthdr *head; /* of the next frame for recv() */
	const u_char *octets;
	struct dcb_time next;
	uint64_t partial; /* frames of which the file has only the first octets: left out */
	char error[PCAP_ERRBUF_SIZE + 64];
};

static struct file_io *to_file(struct netio *io)
{
	return (struct file_io *)io;
}

/* With nanosecond precision, libpcap stores nanoseconds in tv_usec. */
static void read_next(struct file_io *f)
{
	int rc;

	do {
		rc = f->in ? pcap_next_ex(f->in, &f->head, &f->octets) : PCAP_ERROR_BREAK;
		f->partial += rc == 1 && f->head->caplen < f->head->len;
	} while (rc == 1 && f->head->caplen < f->head->len);
	f->next = DCB_TIME_NEVER;
	if (rc == 1)
		f->next.ns = f->head->ts.tv_sec * DCB_NS_PER_S + f->head->ts.tv_usec;
	else if (rc == PCAP_ERROR)
		/*
		 * Message: The pcap file of the port is truncated or damaged, or the disk is full.
		 * The output is incomplete. Repeat the run after correcting the cause.
		 */
		snprintf(f->error, sizeof(f->error), "read error: %s", pcap_geterr(f->in));
}

static int file_recv(struct netio *io, unsigned max, netio_sink sink, void *ctx)
{
	struct file_io *f = to_file(io);
	unsigned n = 0;

	for (; n < max && f->next.ns != DCB_TIME_NEVER.ns; n++) {
		sink(ctx, f->octets, f->head->caplen, f->head->len);
		read_next(f);
	}
	return (int)n;
}

static struct netio_sent file_send(struct netio *io, const struct iovec *frames, unsigned n,
				   struct dcb_time now)
{
	struct file_io *f = to_file(io);

	for (unsigned i = 0; f->out && i < n; i++) {
		struct pcap_pkthdr head = {
		    .ts = {.tv_sec = now.ns / DCB_NS_PER_S, .tv_usec = now.ns % DCB_NS_PER_S},
		    .caplen = (bpf_u_int32)frames[i].iov_len,
		    .len = (bpf_u_int32)frames[i].iov_len,
		};

		pcap_dump((u_char *)f->out, &head, frames[i].iov_base);
	}
	return (struct netio_sent){.taken = n};
}

static uint64_t file_lost(struct netio *io)
{
	(void)io;
	return 0;
}

static void file_free(struct file_io *f)
{
	if (f->out)
		pcap_dump_close(f->out);
	if (f->out_format)
		pcap_close(f->out_format);
	if (f->in)
		pcap_close(f->in);
	free(f);
}

static void file_close(struct netio *io)
{
	file_free(to_file(io));
}

static bool open_input(struct file_io *f, const char *path, char *err, size_t errlen)
{
	char why[PCAP_ERRBUF_SIZE];

	f->in = pcap_open_offline_with_tstamp_precision(path, PCAP_TSTAMP_PRECISION_NANO, why);
	if (!f->in) {
		/* Not all messages of libpcap contain the file name. */
		/*
		 * Message: The pcap file cannot be opened or is not a pcap file. Check its path,
		 * format and permissions.
		 */
		snprintf(err, errlen, "cannot read %s: %s", path, why);
		return false;
	}
	if (pcap_datalink(f->in) != DLT_EN10MB) {
		/*
		 * Message: The pcap file has frames of another link type. Capture the frames on an
		 * Ethernet interface.
		 */
		snprintf(err, errlen, "%s: link type %s, expected Ethernet", path,
			 pcap_datalink_val_to_name(pcap_datalink(f->in)));
		return false;
	}
	return true;
}

static bool open_output(struct file_io *f, const char *path, uint32_t frame_octets, char *err,
			size_t errlen)
{
	f->out_format = pcap_open_dead_with_tstamp_precision(DLT_EN10MB, (int)frame_octets,
							     PCAP_TSTAMP_PRECISION_NANO);
	if (!f->out_format) {
		snprintf(err, errlen, "%s: out of memory", path);
		return false;
	}
	f->out = pcap_dump_open(f->out_format, path);
	if (!f->out) {
		/* Message: as "cannot read %s: %s" */
		snprintf(err, errlen, "cannot write %s: %s", path, pcap_geterr(f->out_format));
		return false;
	}
	return true;
}

struct netio *netio_file_open(const char *read_path, const char *write_path, uint32_t frame_octets,
			      char *err, size_t errlen)
{
	static const struct netio_ops ops = {
	    .name = "file",
	    .recv = file_recv,
	    .send = file_send,
	    .lost = file_lost,
	    .close = file_close,
	};
	struct file_io *f = calloc(1, sizeof(*f));

	if (!f) {
		snprintf(err, errlen, "out of memory");
		return NULL;
	}
	f->io = (struct netio){.ops = &ops, .recv_fd = -1, .send_fd = -1, .stamp_fd = -1};
	if ((read_path && !open_input(f, read_path, err, errlen)) ||
	    (write_path && !open_output(f, write_path, frame_octets, err, errlen))) {
		file_free(f);
		return NULL;
	}
	read_next(f);
	return &f->io;
}

struct dcb_time netio_file_next(const struct netio *io)
{
	return ((const struct file_io *)io)->next;
}

uint64_t netio_file_partial(const struct netio *io)
{
	return ((const struct file_io *)io)->partial;
}

bool netio_file_finish(struct netio *io, char *err, size_t errlen)
{
	struct file_io *f = to_file(io);

	if (!f->error[0] && f->out && (pcap_dump_flush(f->out) || ferror(pcap_dump_file(f->out))))
		/* Message: as "read error: %s" */
		snprintf(f->error, sizeof(f->error), "write error: %s", strerror(errno));
	if (f->error[0])
		snprintf(err, errlen, "%s", f->error);
	return !f->error[0];
}

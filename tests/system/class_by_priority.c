/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * class_by_priority FILE: makes a BPF classifier of the queueing disciplines, and pins it
 * at FILE in a bpffs. It puts a frame of priority n (SO_PRIORITY) into class 1:1n, so that
 * htb counts the frames of each priority, on kernels without sch_prio too.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static uint64_t address(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

static int bpf(int cmd, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static int load(void)
{
	/* r0 = skb->priority; r0 += 0x10010; return r0 */
	static const struct bpf_insn program[] = {
	    {.code = BPF_LDX | BPF_MEM | BPF_W,
	     .dst_reg = BPF_REG_0,
	     .src_reg = BPF_REG_1,
	     .off = offsetof(struct __sk_buff, priority)},
	    {.code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_0, .imm = 0x10010},
	    {.code = BPF_JMP | BPF_EXIT},
	};
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_SCHED_CLS;
	attr.insns = address(program);
	attr.insn_cnt = sizeof(program) / sizeof(program[0]);
	attr.license = address("BSD");
	return bpf(BPF_PROG_LOAD, &attr);
}

static int pin(int fd, const char *path)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.pathname = address(path);
	attr.bpf_fd = (uint32_t)fd;
	return bpf(BPF_OBJ_PIN, &attr);
}

int main(int argc, char **argv)
{
	int fd;

	if (argc != 2) {
		fputs("usage: class_by_priority FILE\n", stderr);
		return 2;
	}
	fd = load();
	if (fd < 0 || pin(fd, argv[1]) < 0) {
		fprintf(stderr, "class_by_priority: %s: %s\n", fd < 0 ? "load" : argv[1],
			strerror(errno));
		return 1;
	}
	return 0;
}

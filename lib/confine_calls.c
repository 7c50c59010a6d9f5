/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The only module that uses libseccomp. Its peculiarities: a name that this version of it
 * does not know is __NR_SCMP_ERROR, a call that the architecture does not have is another
 * negative number; it makes rules for socketcall() of those for socket().
 */
#include "lib/confine.h"

#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <string.h>

/* The argument of clone() that has the flags. */
#ifdef __s390__
#define CLONE_FLAGS 1
#else
#define CLONE_FLAGS 0
#endif
/* CLONE_NEWTIME has a bit that is part of the signal here: only clone3() and unshare() take it. */
#define NAMESPACES                                                                    \
	(CLONE_NEWCGROUP | CLONE_NEWIPC | CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWPID | \
	 CLONE_NEWUSER | CLONE_NEWUTS)

const char *confine_calls_missing(void)
{
	return NULL;
}

/* Returns 0 or a negative errno. */
static int add_names(scmp_filter_ctx ctx, const char *const *names)
{
	int rc = 0;

	for (; *names && rc == 0; names++) {
		int call = seccomp_syscall_resolve_name(*names);

		if (call == __NR_SCMP_ERROR)
			log_debug(CONFINE_TOKEN, "libseccomp does not know %s", *names);
		else
			rc = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, call, 0);
		if (rc == -EDOM)
			rc = 0;
	}
	return rc;
}

/*
 * clone3() has its flags in memory, where no filter sees them. The C library tries it for each
 * thread and uses clone() then: a filter of its own refuses it without a line in a log.
 */
static int refuse_clone3(void)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ALLOW);
	int rc = -ENOMEM;

	if (!ctx)
		return rc;
	rc = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_TSYNC, 1);
	if (rc == 0)
		rc = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
	if (rc == 0)
		rc = seccomp_load(ctx);
	seccomp_release(ctx);
	return rc;
}

static int add_clone(scmp_filter_ctx ctx)
{
	const struct scmp_arg_cmp no_namespace = {
	    .arg = CLONE_FLAGS, .op = SCMP_CMP_MASKED_EQ, .datum_a = NAMESPACES, .datum_b = 0};

	return seccomp_rule_add_array(ctx, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1, &no_namespace);
}

static int add_families(scmp_filter_ctx ctx, const int *families)
{
	int rc = 0;

	for (; *families && rc == 0; families++) {
		const struct scmp_arg_cmp is_family = {
		    .arg = 0, .op = SCMP_CMP_EQ, .datum_a = (scmp_datum_t)*families};

		rc = seccomp_rule_add_array(ctx, SCMP_ACT_ALLOW, SCMP_SYS(socket), 1, &is_family);
	}
	return rc;
}

/* Returns 0 or a negative errno. */
static int load(scmp_filter_ctx ctx, const struct confine_calls *calls)
{
	int rc = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(ENOSYS));

	/* Without these two the filter is slower, or says less. */
	(void)seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	(void)seccomp_attr_set(ctx, SCMP_FLTATR_CTL_LOG, 1);
	if (rc == 0)
		rc = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_TSYNC, 1);
	for (const char *const *const *list = calls->lists; *list && rc == 0; list++)
		rc = add_names(ctx, *list);
	if (rc == 0)
		rc = add_clone(ctx);
	if (rc == 0)
		rc = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(clone3), 0);
	if (rc == 0)
		rc = add_families(ctx, calls->families);
	return rc == 0 ? seccomp_load(ctx) : rc;
}

bool confine_calls(const struct confine_calls *calls, enum log_level level)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
	int rc = ctx ? refuse_clone3() : -ENOMEM;

	if (rc == 0)
		rc = load(ctx, calls);

	if (rc != 0)
		/* Message: as "access to files is not restricted: %s" */
		log_at(level, CONFINE_TOKEN, "system calls are not filtered: %s", strerror(-rc));
	if (ctx)
		seccomp_release(ctx);
	return rc == 0;
}

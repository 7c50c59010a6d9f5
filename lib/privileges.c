/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/privileges.h"

#include <cap-ng.h>
#include <errno.h>
#include <grp.h>
#include <inttypes.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "lib/log.h"

/* Returns whether the user namespace maps the id. The initial namespace maps all ids. */
static bool is_mapped(const char *map, uintmax_t id)
{
	FILE *f = fopen(map, "re");
	uintmax_t inside, outside, count;
	bool found = false;

	if (!f)
		return true; /* no /proc: setresuid() fails if the id is not mapped */
	while (!found && fscanf(f, "%ju %ju %ju", &inside, &outside, &count) == 3)
		found = id >= inside && id - inside < count;
	fclose(f);
	return found;
}

static bool may_set_ids(void)
{
	return capng_have_capability(CAPNG_EFFECTIVE, CAP_SETUID) &&
	       capng_have_capability(CAPNG_EFFECTIVE, CAP_SETGID);
}

bool privileges_of_root(void)
{
	return geteuid() == 0 && capng_get_caps_process() == 0 && may_set_ids();
}

/* Returns whether the process has another user and can change to this one. */
static bool can_change_user(const struct passwd *pw)
{
	if (pw->pw_uid == geteuid())
		return false;
	if (!may_set_ids()) {
		/*
		 * Message: The program was not started as root and has another user than the one
		 * that is set. It goes on as the user that started it. Start it as root, or as this
		 * user, or remove the setting.
		 */
		log_info("priv", "cannot change to user %s without privileges: uid stays %ju",
			 pw->pw_name, (uintmax_t)geteuid());
		return false;
	}
	if (!is_mapped("/proc/self/uid_map", pw->pw_uid) ||
	    !is_mapped("/proc/self/gid_map", pw->pw_gid)) {
		/*
		 * Message: The program runs in a container that does not map this user, and goes on
		 * as the user that started it. Map the user, or remove the setting.
		 */
		log_info("priv", "this user namespace does not map user %s: uid stays %ju",
			 pw->pw_name, (uintmax_t)geteuid());
		return false;
	}
	return true;
}

/* Selects those of the capabilities to keep that the process has, for libcap-ng. */
static void select_kept(const struct privileges *p)
{
	bool had[PRIVILEGES_KEPT_MAX];

	for (unsigned i = 0; i < p->n_kept; i++)
		had[i] = capng_have_capability(CAPNG_PERMITTED, p->kept[i]);
	capng_clear(CAPNG_SELECT_BOTH);
	for (unsigned i = 0; i < p->n_kept; i++)
		if (had[i])
			capng_update(CAPNG_ADD, CAPNG_EFFECTIVE | CAPNG_PERMITTED, p->kept[i]);
}

/* Adds a supplementary group if it exists and the process is permitted to. */
static void add_group(const char *name)
{
	const struct group *gr = name ? getgrnam(name) : NULL;
	gid_t gids[NGROUPS_MAX + 1];
	int n;

	if (!gr || !capng_have_capability(CAPNG_EFFECTIVE, CAP_SETGID) ||
	    !is_mapped("/proc/self/gid_map", gr->gr_gid))
		return;
	n = getgroups(NGROUPS_MAX, gids);
	if (n < 0)
		return;
	gids[n] = gr->gr_gid;
	if (setgroups((size_t)n + 1, gids) < 0)
		/*
		 * Message: dcbd cannot become a member of `lldp.group` and may have no access to
		 * lldpd(8). Make the user of dcbd a member of the group.
		 */
		log_warn("priv", "cannot join group %s: %s", name, strerror(errno));
}

static bool change_user(const struct privileges *p, const struct passwd *pw, char *err,
			size_t errlen)
{
	int rc;

	if (initgroups(pw->pw_name, pw->pw_gid) < 0) {
		/*
		 * Messages: The kernel or a security module refuses the change of user, groups or
		 * capabilities. The program does not start. Check the security policy and the
		 * options of the service manager.
		 */
		snprintf(err, errlen, "cannot set the groups of user %s: %s", pw->pw_name,
			 strerror(errno));
		return false;
	}
	add_group(p->group);
	select_kept(p);
	rc = capng_change_id((int)pw->pw_uid, (int)pw->pw_gid, CAPNG_CLEAR_BOUNDING);
	if (rc != 0) {
		snprintf(err, errlen, "cannot change to user %s: libcap-ng error %d, %s",
			 pw->pw_name, rc, strerror(errno));
		return false;
	}
	return true;
}

static bool drop_capabilities(const struct privileges *p, char *err, size_t errlen)
{
	bool bounding = capng_have_capability(CAPNG_EFFECTIVE, CAP_SETPCAP);

	if (capng_have_capabilities(CAPNG_SELECT_CAPS) == CAPNG_NONE) {
		if (p->without)
			log_info("priv", "no capabilities: %s", p->without);
		return true;
	}
	select_kept(p);
	if (capng_apply(bounding ? CAPNG_SELECT_BOTH : CAPNG_SELECT_CAPS) != 0) {
		/* Message: as "cannot set the groups of user %s: %s" */
		snprintf(err, errlen, "cannot drop capabilities: %s", strerror(errno));
		return false;
	}
	return true;
}

bool privileges_drop(const struct privileges *p, char *err, size_t errlen)
{
	const struct passwd *pw = NULL;

	if (p->user) {
		errno = 0;
		pw = getpwnam(p->user);
		if (!pw) {
			/*
			 * Message: The user that is set, in `user` of dcbd.conf(5) or with `-u`,
			 * does not exist or cannot be looked up. Create the user, with
			 * systemd-sysusers(8) and the file dcb-agent.conf of this package or with
			 * adduser(8), or set another one.
			 */
			snprintf(err, errlen, "user %s: %s%s", p->user,
				 errno ? strerror(errno) : "no such user", errno ? "" : p->advice);
			return false;
		}
	}
	if (capng_get_caps_process() < 0) {
		/* Messages: as "cannot set the groups of user %s: %s" */
		snprintf(err, errlen, "cannot read capabilities: %s", strerror(errno));
		return false;
	}
	if (pw && can_change_user(pw)) {
		if (!change_user(p, pw, err, errlen))
			return false;
	} else {
		add_group(p->group);
		if (!drop_capabilities(p, err, errlen))
			return false;
	}
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) {
		snprintf(err, errlen, "cannot set no_new_privs: %s", strerror(errno));
		return false;
	}
	log_debug("priv", "uid %ju", (uintmax_t)geteuid());
	for (unsigned i = 0; i < p->n_kept; i++)
		log_debug("priv", "%s %s", capng_capability_to_name(p->kept[i]),
			  capng_have_capability(CAPNG_EFFECTIVE, p->kept[i]) ? "kept" : "absent");
	return true;
}

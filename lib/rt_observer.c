/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/rt_observer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/thread.h"

struct rt_observer {
	pthread_t thread;
	sem_t questions;
	int fd; /* -1: the kernel has no such file */
	bool stop, has_answer;
	struct rt_observed answer;
};

/* some avg10=0.00 avg60=0.00 avg300=0.00 total=4711, in us */
static bool read_waited(int fd, int64_t *ns)
{
	char text[128];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
	int64_t us;

	if (n <= 0)
		return false;
	text[n] = '\0';
	if (sscanf(text, "some avg10=%*f avg60=%*f avg300=%*f total=%" SCNd64, &us) != 1)
		return false;
	*ns = us * DCB_NS_PER_US;
	return true;
}

/* Those that the thread has from the one that started it, for a thread with real time. */
static void drop_capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};

	(void)syscall(SYS_capset, &header, none);
}

static void *run(void *ctx)
{
	struct rt_observer *o = ctx;

	drop_capabilities();
	(void)pthread_setname_np(pthread_self(), "observer");
	for (;;) {
		while (sem_wait(&o->questions) < 0)
			;
		if (__atomic_load_n(&o->stop, __ATOMIC_ACQUIRE))
			return NULL;
		o->answer.knows = read_waited(o->fd, &o->answer.waited_ns);
		o->answer.at = clock_now();
		__atomic_store_n(&o->has_answer, true, __ATOMIC_RELEASE);
	}
}

struct rt_observer *rt_observer_start(void)
{
	struct rt_observer *o = calloc(1, sizeof(*o));
	int error;

	if (!o)
		return NULL;
	o->fd = open(RT_OBSERVER_FILE, O_RDONLY | O_CLOEXEC);
	sem_init(&o->questions, 0, 0);
	error = thread_start(&o->thread, run, o);
	if (error == 0)
		return o;
	if (o->fd >= 0)
		close(o->fd);
	sem_destroy(&o->questions);
	free(o);
	errno = error;
	return NULL;
}

void rt_observer_stop(struct rt_observer *o)
{
	if (!o)
		return;
	__atomic_store_n(&o->stop, true, __ATOMIC_RELEASE);
	sem_post(&o->questions);
	pthread_join(o->thread, NULL);
	if (o->fd >= 0)
		close(o->fd);
	sem_destroy(&o->questions);
	free(o);
}

void rt_observer_ask(struct rt_observer *o)
{
	sem_post(&o->questions);
}

bool rt_observer_has_answer(const struct rt_observer *o)
{
	return __atomic_load_n(&o->has_answer, __ATOMIC_ACQUIRE);
}

struct rt_observed rt_observer_answer(struct rt_observer *o)
{
	__atomic_store_n(&o->has_answer, false, __ATOMIC_RELAXED);
	return o->answer;
}

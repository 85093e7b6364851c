/* cmd_signal.c - how a tool starts and is ended: signals, closed descriptors */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd_own.h"

volatile uint64_t cmd_signals;
char *volatile cmd_tmp[CMD_ALSO_MAX + 1];

static volatile bool hold;	/* signals wait */

static void
remove_tmps(void)
{
	int i;

	for (i = 0; i <= CMD_ALSO_MAX; i++)
		if (cmd_tmp[i])
			unlink(cmd_tmp[i]);
}

static void
on_signal(int sig)
{
	if (hold || sig == SIGUSR1) {
		__atomic_fetch_or(&cmd_signals, (uint64_t)1 << sig,
		    __ATOMIC_RELAXED);
		return;
	}
	remove_tmps();
	/*
	 * Only now may it kill: with SA_RESETHAND a second signal, taken by
	 * another thread, would end us before the file is gone.
	 */
	signal(sig, SIG_DFL);
	raise(sig);
}

bool
cmd_hold(bool on)
{
	struct sigaction sa = { .sa_handler = on_signal,
	    .sa_flags = SA_RESTART };
	bool was = hold;

	sigemptyset(&sa.sa_mask);
	sigaction(SIGUSR1, &sa, NULL);
	hold = on;
	return was;
}

void
cmd_signals_seen(uint64_t set)
{
	__atomic_fetch_and(&cmd_signals, ~set, __ATOMIC_RELAXED);
}

void
cmd_die(int sig)
{
	sigset_t set;

	remove_tmps();
	signal(sig, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, sig);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(sig);
	_exit(128 + sig);
}

/* A library that ends the process itself must not leave it, either. */
static void
on_exit_remove(void)
{
	remove_tmps();
}

void
cmd_catch_signals(void)
{
	static const int fatal[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction sa = { .sa_handler = on_signal }, old;
	size_t i;

	sigemptyset(&sa.sa_mask);
	for (i = 0; i < sizeof fatal / sizeof *fatal; i++) {
		/* nohup stays nohup */
		if (sigaction(fatal[i], NULL, &old) == 0 &&
		    old.sa_handler != SIG_IGN)
			sigaction(fatal[i], &sa, NULL);
	}
	atexit(on_exit_remove);
	/* Both are met as errors of write(). */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

/*
 * A descriptor 0..2 that was closed would be given to the first file opened,
 * and our messages or data would land in it.  Each is filled with something
 * that fails as a closed one does.
 */
void
cmd_guard_fds(void)
{
	int fd;

	for (fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null", fd == 1 ? O_RDONLY : O_WRONLY) < 0)
			return;
}

/* The reader of our output has gone: so do we, as a filter does. */
void
cmd_die_of_pipe(void)
{
	sigset_t set;

	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(SIGPIPE);
}

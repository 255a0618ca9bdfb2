// SPDX-License-Identifier: GPL-2.0-or-later
/* iperf3 as a program of one file: its command line over libiperf, which does all of it. */

#include <stdint.h>

#include <iperf_api.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

static sigjmp_buf interrupted;

static void interrupt(int signal)
{
	(void)signal;
	siglongjmp(interrupted, 1);
}

/* Serves one test after the other, with --one-off a single one. Returns the exit status. */
static int serve(struct iperf_test *test)
{
	int status;

	do {
		status = iperf_run_server(test) < 0;
		if (status)
			iperf_err(test, "error - %s", iperf_strerror(i_errno));
		iperf_reset_test(test);
	} while (!iperf_get_test_one_off(test));
	return status ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	struct iperf_test *test = iperf_new_test();
	int status = EXIT_SUCCESS;

	if (!test || iperf_defaults(test) < 0)
		iperf_errexit(NULL, "create new test error - %s", iperf_strerror(i_errno));
	if (iperf_parse_arguments(test, argc, argv) < 0) {
		iperf_err(test, "parameter error - %s", iperf_strerror(i_errno));
		return EXIT_FAILURE;
	}
	if (sigsetjmp(interrupted, 1))
		iperf_got_sigend(test); // tells the other end, writes what there is, and exits
	iperf_catch_sigend(interrupt);
	signal(SIGPIPE, SIG_IGN);
	if (iperf_get_test_role(test) == 's')
		status = serve(test);
	else if (iperf_run_client(test) < 0)
		iperf_errexit(test, "error - %s", iperf_strerror(i_errno));
	iperf_free_test(test);
	return status;
}

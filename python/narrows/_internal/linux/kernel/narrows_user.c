// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
/* The host's half: loads the library of the network. */
#include <dlfcn.h>
#include <stdio.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include "network.h"

static void *symbol(void *library, const char *name)
{
	void *found = dlsym(library, name);

	if (!found) {
		fprintf(stderr, "narrows: %s\n", dlerror());
		exit(3);
	}
	return found;
}

void nw_load(const char *path, struct nw_library *library)
{
	void *handle;

	/* The machine ends with the process that has started it. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!handle) {
		fprintf(stderr, "narrows: %s\n", dlerror());
		exit(3);
	}
	library->open = symbol(handle, "nw_open");
	library->config = symbol(handle, "nw_config");
	library->attach = symbol(handle, "nw_attach");
	library->transmit = symbol(handle, "nw_transmit");
	library->deadline = symbol(handle, "nw_deadline");
	library->next = symbol(handle, "nw_next");
	library->state = symbol(handle, "nw_state");
	library->printed = symbol(handle, "nw_printed");
	library->finish = symbol(handle, "nw_finish");
	if (library->open())
		exit(3);
}

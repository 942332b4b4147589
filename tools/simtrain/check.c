#include "check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interfaces.h"

void check_cuda(int error, const char *what)
{
	if (!error)
		return;
	fprintf(stderr, "simtrain: %s: %s\n", what, cudaGetErrorString(error));
	exit(1);
}

void check_nccl(int result, const char *what)
{
	if (!result)
		return;
	fprintf(stderr, "simtrain: %s: %s\n", what, ncclGetErrorString(result));
	exit(1);
}

void check_system(int failed, const char *what)
{
	if (!failed)
		return;
	fprintf(stderr, "simtrain: %s: %s\n", what, strerror(errno));
	exit(1);
}

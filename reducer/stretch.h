/* A stretch of the time of a run, reduced into a file that other stretches are added to. */
#ifndef STRETCH_H
#define STRETCH_H

#include "summary/reduction.h"

struct stretch {
	char *const *dirs;
	size_t n_dirs;
	const char *path; /* of the file */
	bool add;         /* to what is in it; else it is made anew */
	bool rest;        /* it begins where those in the file end; how->time.from_ns is of the first */
	bool beside;      /* the job runs: its traces are not closed yet, and nothing is salvaged */
	bool silent;      /* only what keeps the file from being written has a message */
	/* 0, or: some process of the job may not have written what came after that. Of the stretch this
	 * time counts as missing. */
	int64_t written_ns;
};

/* Reduces the part of the run that how->time says. An enum status; says what is wrong.
 * STATUS_INPUT: no step begins in it, or nothing can be read, and the file is as it was. */
int stretch_store(const struct stretch *stretch, const struct reduce_options *how);

#endif

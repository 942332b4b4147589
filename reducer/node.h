/* What `baton record --reduce` and --report do when the job has ended: a node reduces its own
 * files. */
#ifndef NODE_H
#define NODE_H

/* Reduces the traces of this boot in `directory`: to its summary.baton if they are the whole run,
 * else to DIRECTORY/BOOT8.baton.part. Says what it did, or why not; the job's status stays. `shown`:
 * the directory as the user named it. */
void node_reduce(const char *directory, const char *shown);

/* What `baton record --report` does then: prints the report of `shown` on stderr, or says why there
 * is none. */
void node_report(const char *shown);

#endif

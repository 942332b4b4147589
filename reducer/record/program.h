/* Checks the program after `--`: can libbaton.so be preloaded into it? */
#ifndef RECORD_PROGRAM_H
#define RECORD_PROGRAM_H

/* If `program` is a launcher, which starts the job on other hosts or from another process, returns
 * its name; else NULL. baton must come after a launcher on the command line. */
const char *program_launcher(const char *program);
/* A line that says why nothing will be recorded (the program is set-uid or statically linked);
 * NULL: no such reason. */
const char *program_objection(const char *program);

#endif

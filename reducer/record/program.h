/* What comes after `--`: can libbaton.so be preloaded into it? */
#ifndef RECORD_PROGRAM_H
#define RECORD_PROGRAM_H

/* Programs that start the job on other hosts or from another process: baton comes after them.
 * Its name, or NULL. */
const char *program_launcher(const char *program);
/* A line about why nothing will be recorded (set-uid, statically linked), NULL when there is no
 * such reason. */
const char *program_objection(const char *program);

#endif

/* While an import writes, a signal that ends the program (SIGINT, SIGTERM, SIGHUP, those of them
 * that are not ignored) removes what was written first. */
#ifndef IMPORT_INTERRUPTED_H
#define IMPORT_INTERRUPTED_H

/* From now on signals wait: call it before anything is written. */
void interrupted_hold(void);
/* A signal that came or comes removes what was written and ends the program. staging: its directory
 * (staging.h); made: one to remove too when it is empty then, or NULL. Both stay the caller's. 0 or
 * -errno: there is no watch, and what comes waits for interrupted_stop(). */
int interrupted_watch(const char *staging, const char *made);
/* All is written. A signal that has come until now ends the program as above; later ones wait. */
void interrupted_stop(void);
/* As before interrupted_hold(). What came after interrupted_stop() came too late to stop anything,
 * and is dropped. */
void interrupted_end(void);

#endif

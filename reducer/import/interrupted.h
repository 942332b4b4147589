/* While an import writes, a signal that ends the program (SIGINT, SIGTERM, SIGHUP, those of them
 * that are not ignored) removes what was written first. */
#ifndef IMPORT_INTERRUPTED_H
#define IMPORT_INTERRUPTED_H

/* From now on. staging: its directory (staging.h); made: one to remove too when it is empty then,
 * or NULL. Both stay the caller's. 0 or -errno: nobody watches, signals end the program as before.
 */
int interrupted_watch(const char *staging, const char *made);
/* No longer; a signal that came too late for it ends the program here. */
void interrupted_end(void);

#endif

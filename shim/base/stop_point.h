/* Places where a test lets the process be killed (tests/shim/kill_test.c). Nothing in the library
 * that users load. */
#ifndef SHIM_STOP_POINT_H
#define SHIM_STOP_POINT_H

#ifdef SHIM_STOP_POINTS
void stop_point(const char *name);
#define STOP_POINT(name) stop_point(name)
#else
#define STOP_POINT(name) ((void)0)
#endif

#endif

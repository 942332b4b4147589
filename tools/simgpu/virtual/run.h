/* `baton-sim run`: a program of the user's on the doubles of CUDA's libraries (docs/SIMGPU.md). */
#ifndef SIMGPU_VIRTUAL_RUN_H
#define SIMGPU_VIRTUAL_RUN_H

/* Becomes the program; returns only when it cannot: 2 usage, 126 or 127 as a shell says it. */
int run_program(int argc, char **argv);

#endif

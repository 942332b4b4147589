/* Ends the program with status 1 and a message when a call failed. */
#ifndef SIMTRAIN_CHECK_H
#define SIMTRAIN_CHECK_H

void check_cuda(int error, const char *what);
void check_nccl(int result, const char *what);
void check_system(int failed, const char *what);

#endif

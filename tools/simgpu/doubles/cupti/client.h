/* Calls into the client: its callbacks run between these two, with no lock of ours held. */
#ifndef SIMGPU_DOUBLES_CUPTI_CLIENT_H
#define SIMGPU_DOUBLES_CUPTI_CLIENT_H

void client_enter(void);
void client_leave(void);
/* Is one running on this thread? */
int client_inside(void);

#endif

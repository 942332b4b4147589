/* Between the simulated driver and the two halves of CUPTI, callbacks and activity. */
#ifndef SIMGPU_DOUBLES_CUPTI_OBSERVER_H
#define SIMGPU_DOUBLES_CUPTI_OBSERVER_H

/* Watches the driver from now on; the driver must be ready. Stays until observer_detach, since ops
 * that are under way still have to end. */
void observer_attach(void);
void observer_detach(void);

#endif

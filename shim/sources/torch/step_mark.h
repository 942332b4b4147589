/* The end of an optimizer's step, told by Python (shim/python/sitecustomize.py) through ctypes;
 * found with dlsym, absent without libbaton.so. */
#ifndef SHIM_STEP_MARK_H
#define SHIM_STEP_MARK_H

/* `optimizer` names it (UTF-8): the same one each time, another one for another optimizer. On the
 * thread that ran the step. Nothing when this process does not record (yet). */
void baton_optimizer_step(const char *optimizer);

#endif

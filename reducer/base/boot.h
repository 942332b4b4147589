/* The kernel's id of this boot: what tells hosts, and what a host did before, apart in file names.
 */
#ifndef BASE_BOOT_H
#define BASE_BOOT_H

enum { BOOT_ID_CHARS = 36, BOOT_ID_SHORT = 8 /* so many of them begin a trace's name */ };

/* Text like 0f5b1c52-5c5e-4a34-8d3e-0d2f0e6a1b7c. 0 or -EINVAL: there is none, `text` is "". */
int boot_id_read(char text[BOOT_ID_CHARS + 1]);

#endif

/* The kernel's id of this boot. File names contain it, so that files of different hosts, or of one
 * host before and after a reboot, are told apart. */
#ifndef BASE_BOOT_H
#define BASE_BOOT_H

/* a trace's name begins with so many characters of it */
enum { BOOT_ID_CHARS = 36, BOOT_ID_SHORT = 8 };

/* Writes the id, such as 0f5b1c52-5c5e-4a34-8d3e-0d2f0e6a1b7c. 0, or -EINVAL when there is none;
 * then `text` is "". */
int boot_id_read(char text[BOOT_ID_CHARS + 1]);

#endif

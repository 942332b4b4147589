/* template.html as bytes of the program. */
#ifndef PAGE_TEMPLATE_H
#define PAGE_TEMPLATE_H

extern const char page_template[], page_template_end[];

#endif

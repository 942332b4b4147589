/* The baton trace format, version 1.1: structures, kinds and tables of docs/FORMAT.md, which is the
 * definition. Little-endian hosts only. Nothing here allocates or does I/O. */
#ifndef BATON_FORMAT_H
#define BATON_FORMAT_H

#include <baton/format/columns.h>
#include <baton/format/file.h>
#include <baton/format/records.h>
#include <baton/format/tables.h>
#include <baton/format/values.h>

#endif

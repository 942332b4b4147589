/* Data sets: `baton export --format csv, parquet, arrow`. Each is the write() of a format. */
#ifndef EXPORT_DATASET_FILES_H
#define EXPORT_DATASET_FILES_H

struct export_job;

int dataset_write_csv(const struct export_job *job);
int dataset_write_parquet(const struct export_job *job);
int dataset_write_arrow(const struct export_job *job);

#endif

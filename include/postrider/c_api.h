/* Models for programs in C, and for languages that call C: load, predict, learn, save.
 *
 * Plain types only, and stable: functions are added, none is changed or taken away. No function throws, aborts for what
 * a file or a row holds, or keeps a pointer that it was given. A model may be used by several threads at a time: those
 * that predict never wait, those that learn wait for each other.
 *
 * Functions that can fail return a status, 0 if all is well, and describe what was wrong in `error`, which may be NULL.
 */
#ifndef POSTRIDER_C_API_H
#define POSTRIDER_C_API_H

#include <stddef.h>

#include "postrider/export.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum postrider_status {
  POSTRIDER_OK = 0,
  POSTRIDER_INVALID_ARGUMENT = 1, /* a value that is not accepted, NULL included */
  POSTRIDER_FILE_ERROR = 2,       /* a file that cannot be read or written */
  POSTRIDER_CORRUPT = 3,          /* a damaged file, or a cell that makes no sense in its column */
  POSTRIDER_OUT_OF_MEMORY = 4,
  POSTRIDER_FAILED = 5 /* anything else */
} postrider_status;

enum { POSTRIDER_MESSAGE_BYTES = 512 };

typedef struct postrider_error {
  postrider_status status;
  char message[POSTRIDER_MESSAGE_BYTES]; /* UTF-8, ends with 0, shortened if need be */
} postrider_error;

typedef struct postrider_model postrider_model;

/* Such as "0.2.0". */
POSTRIDER_EXPORT const char* postrider_version(void);

/* A model file that `postrider train` or the library wrote; NULL if it cannot be loaded. */
POSTRIDER_EXPORT postrider_model* postrider_load(const char* path, postrider_error* error);
POSTRIDER_EXPORT void postrider_free(postrider_model* model); /* NULL is allowed */
POSTRIDER_EXPORT postrider_status postrider_save(const postrider_model* model, const char* path,
                                                 postrider_error* error);

/* The columns that the model was trained with, the target included. Names belong to the model. */
POSTRIDER_EXPORT size_t postrider_columns(const postrider_model* model);
POSTRIDER_EXPORT const char* postrider_column_name(const postrider_model* model,
                                                   size_t column);      /* NULL: there is none */
POSTRIDER_EXPORT size_t postrider_target(const postrider_model* model); /* its column */
/* 0 if the target is numeric. */
POSTRIDER_EXPORT size_t postrider_classes(const postrider_model* model);
POSTRIDER_EXPORT const char* postrider_class_name(const postrider_model* model,
                                                  size_t which); /* NULL: there is none */
POSTRIDER_EXPORT size_t postrider_rows_learned(const postrider_model* model);

/* A cell is its text, read as that of a file, or where `text` is NULL its number; missing: NaN. */
typedef struct postrider_cell {
  double number;
  const char* text;
} postrider_cell;

/* `cells` holds `rows` rows, each of postrider_columns() cells in their order; those of the target, and of columns
 * that the model ignores, are not looked at.
 *
 * The mean of a numeric target and the standard deviation of a new observation. `std` may be NULL. */
POSTRIDER_EXPORT postrider_status postrider_predict(const postrider_model* model,
                                                    const postrider_cell* cells, size_t rows,
                                                    double* mean, double* std,
                                                    postrider_error* error);
/* Bounds that hold a new observation with the probability `level`, such as 0.9. */
POSTRIDER_EXPORT postrider_status postrider_predict_interval(const postrider_model* model,
                                                             const postrider_cell* cells,
                                                             size_t rows, double level, double* low,
                                                             double* high, postrider_error* error);
/* For classification: row by row one probability for each class. */
POSTRIDER_EXPORT postrider_status postrider_predict_probabilities(const postrider_model* model,
                                                                  const postrider_cell* cells,
                                                                  size_t rows,
                                                                  double* probabilities,
                                                                  postrider_error* error);

/* Learns each row once, the target's cells included; rows whose target is missing are passed over. All rows or, if it
 * fails, none. */
POSTRIDER_EXPORT postrider_status postrider_learn(postrider_model* model,
                                                  const postrider_cell* cells, size_t rows,
                                                  postrider_error* error);

#ifdef __cplusplus
}
#endif

#endif

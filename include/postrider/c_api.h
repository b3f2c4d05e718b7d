/* Models for programs in C, and for languages that call C: train, load, predict, learn, save.
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

/* The same from and to memory: the bytes of a model file. Those that are returned have `*size` bytes and are for
 * postrider_free_bytes(); NULL if it fails. */
POSTRIDER_EXPORT postrider_model* postrider_load_bytes(const void* bytes, size_t size,
                                                       postrider_error* error);
POSTRIDER_EXPORT char* postrider_save_bytes(const postrider_model* model, size_t* size,
                                            postrider_error* error);
POSTRIDER_EXPORT void postrider_free_bytes(char* bytes); /* NULL is allowed */

/* What a column of a table to learn is: as its cells look, or as the caller knows. A target is learned as an amount if
 * it is numeric, as classes if it is categorical. Weights say how often each row counts, and are no input. */
typedef enum postrider_kind {
  POSTRIDER_INFERRED = 0,
  POSTRIDER_NUMERIC = 1,
  POSTRIDER_CATEGORICAL = 2,
  POSTRIDER_IGNORED = 3,
  POSTRIDER_WEIGHTS = 4
} postrider_kind;

/* One number for each row (missing: NaN), or where `numbers` is NULL one text, read as that of a file (missing: NULL). */
typedef struct postrider_column {
  const char* name;
  const double* numbers;
  const char* const* texts;
  int kind; /* one of postrider_kind */
} postrider_column;

/* An option of training by its name in C++ and its value as text, such as "max_epochs" and "50", or "hidden" and
 * "20,20": docs/reference/options.md lists them. */
typedef struct postrider_option {
  const char* name;
  const char* value;
} postrider_option;

/* Asked now and then, by the thread that trains; anything but 0 ends training, which then fails. */
typedef int (*postrider_stop)(void* context);

/* Learns a table epoch after epoch; `stop` may be NULL. NULL if it fails. */
POSTRIDER_EXPORT postrider_model* postrider_train(const postrider_column* columns, size_t count,
                                                  size_t rows, const char* target,
                                                  const postrider_option* options,
                                                  size_t option_count, postrider_stop stop,
                                                  void* context, postrider_error* error);

/* The columns that the model was trained with, the target included. Names belong to the model. */
POSTRIDER_EXPORT size_t postrider_columns(const postrider_model* model);
POSTRIDER_EXPORT const char* postrider_column_name(const postrider_model* model,
                                                   size_t column); /* NULL: there is none */
/* "numeric", "categorical", "date" or "ignored"; NULL: there is no such column. */
POSTRIDER_EXPORT const char* postrider_column_kind(const postrider_model* model, size_t column);
POSTRIDER_EXPORT size_t postrider_target(const postrider_model* model); /* its column */
/* 0 if the target is numeric. */
POSTRIDER_EXPORT size_t postrider_classes(const postrider_model* model);
POSTRIDER_EXPORT const char* postrider_class_name(const postrider_model* model,
                                                  size_t which); /* NULL: there is none */
POSTRIDER_EXPORT size_t postrider_rows_learned(const postrider_model* model);
/* The mean log-likelihood of the rows of training, each predicted by networks that have not learned it, in nats, and its
 * standard error; NaN both if it is not known, as of a stream. */
POSTRIDER_EXPORT void postrider_out_of_fold_score(const postrider_model* model,
                                                  double* log_likelihood, double* standard_error);

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
/* Both at once, for about the time of one; pointers may be NULL. `noise_std` is the aleatoric part of `std`. */
POSTRIDER_EXPORT postrider_status postrider_predict_all(const postrider_model* model,
                                                        const postrider_cell* cells, size_t rows,
                                                        double level, double* mean, double* std,
                                                        double* noise_std, double* low,
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

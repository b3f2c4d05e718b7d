/* R's side of the C interface: models are external pointers, columns are numbers or texts.
 *
 * What is allocated here is R's (R_alloc, released when the call ends), so that Rf_error() loses nothing.
 */
#include <postrider/c_api.h>
#include <string.h>

#define R_NO_REMAP
#include <R.h>
#include <R_ext/Rdynload.h>
#include <Rinternals.h>

static void stop_with(const postrider_error* error) { Rf_error("%s", error->message); }

/* --- models ------------------------------------------------------------------------------------------------------ */

static void finalise(SEXP pointer) {
  postrider_free(R_ExternalPtrAddr(pointer));
  R_ClearExternalPtr(pointer);
}

/* The pointer is made first, so that no model is lost if R has no memory for it. */
static SEXP empty_pointer(void) {
  SEXP pointer = PROTECT(R_MakeExternalPtr(NULL, R_NilValue, R_NilValue));
  R_RegisterCFinalizerEx(pointer, finalise, TRUE);
  return pointer;
}

static SEXP filled(SEXP pointer, postrider_model* model, const postrider_error* error) {
  if (model == NULL) stop_with(error);
  R_SetExternalPtrAddr(pointer, model);
  UNPROTECT(1);
  return pointer;
}

static postrider_model* model_of(SEXP pointer) {
  postrider_model* model = R_ExternalPtrAddr(pointer);
  if (model == NULL) Rf_error("the model is not loaded");
  return model;
}

/* After saveRDS() and readRDS() a pointer is empty. */
static SEXP is_loaded(SEXP pointer) {
  return Rf_ScalarLogical(TYPEOF(pointer) == EXTPTRSXP && R_ExternalPtrAddr(pointer) != NULL);
}

static SEXP load_bytes(SEXP bytes) {
  postrider_error error;
  SEXP pointer = empty_pointer();
  return filled(pointer, postrider_load_bytes(RAW(bytes), (size_t)XLENGTH(bytes), &error), &error);
}

static SEXP load_file(SEXP path) {
  postrider_error error;
  SEXP pointer = empty_pointer();
  return filled(pointer, postrider_load(R_ExpandFileName(CHAR(STRING_ELT(path, 0))), &error),
                &error);
}

static SEXP save_file(SEXP pointer, SEXP path) {
  postrider_error error;
  if (postrider_save(model_of(pointer), R_ExpandFileName(CHAR(STRING_ELT(path, 0))), &error))
    stop_with(&error);
  return R_NilValue;
}

/* Bytes that are kept until R has room for them. */
struct saved {
  char* bytes;
  size_t size;
};

static SEXP as_raw(void* data) {
  const struct saved* saved = data;
  SEXP out = Rf_allocVector(RAWSXP, (R_xlen_t)saved->size);
  memcpy(RAW(out), saved->bytes, saved->size);
  return out;
}

static void free_saved(void* data) { postrider_free_bytes(((struct saved*)data)->bytes); }

static SEXP save_bytes(SEXP pointer) {
  postrider_error error;
  struct saved saved;
  saved.bytes = postrider_save_bytes(model_of(pointer), &saved.size, &error);
  if (saved.bytes == NULL) stop_with(&error);
  return R_ExecWithCleanup(as_raw, &saved, free_saved, &saved);
}

static SEXP text_or_na(const char* text) {
  return text == NULL ? NA_STRING : Rf_mkCharCE(text, CE_UTF8);
}

static SEXP describe(SEXP pointer) {
  const postrider_model* model = model_of(pointer);
  const size_t columns = postrider_columns(model), classes = postrider_classes(model);
  const char* names[] = {"columns", "kinds", "target", "classes", "rows", "score", ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  SEXP column_names = SET_VECTOR_ELT(out, 0, Rf_allocVector(STRSXP, (R_xlen_t)columns));
  SEXP kinds = SET_VECTOR_ELT(out, 1, Rf_allocVector(STRSXP, (R_xlen_t)columns));
  for (size_t c = 0; c < columns; ++c) {
    SET_STRING_ELT(column_names, (R_xlen_t)c, text_or_na(postrider_column_name(model, c)));
    SET_STRING_ELT(kinds, (R_xlen_t)c, text_or_na(postrider_column_kind(model, c)));
  }
  SET_VECTOR_ELT(out, 2, Rf_ScalarInteger((int)postrider_target(model) + 1));
  SEXP class_names = SET_VECTOR_ELT(out, 3, Rf_allocVector(STRSXP, (R_xlen_t)classes));
  for (size_t c = 0; c < classes; ++c)
    SET_STRING_ELT(class_names, (R_xlen_t)c, text_or_na(postrider_class_name(model, c)));
  SET_VECTOR_ELT(out, 4, Rf_ScalarReal((double)postrider_rows_learned(model)));
  SEXP score = SET_VECTOR_ELT(out, 5, Rf_allocVector(REALSXP, 2));
  postrider_out_of_fold_score(model, REAL(score), REAL(score) + 1);
  UNPROTECT(1);
  return out;
}

/* --- rows -------------------------------------------------------------------------------------------------------- */

static const char* utf8(SEXP text) { return text == NA_STRING ? NULL : Rf_translateCharUTF8(text); }

static const char** texts_of(SEXP column) {
  const R_xlen_t rows = XLENGTH(column);
  const char** out = (const char**)R_alloc((size_t)rows + 1, sizeof *out);
  for (R_xlen_t row = 0; row < rows; ++row) out[row] = utf8(STRING_ELT(column, row));
  return out;
}

static size_t rows_of(SEXP columns) {
  size_t rows = 0;
  for (R_xlen_t c = 0; c < XLENGTH(columns); ++c)
    if (VECTOR_ELT(columns, c) != R_NilValue) rows = (size_t)XLENGTH(VECTOR_ELT(columns, c));
  return rows;
}

/* One element of `columns` for each column of the model: numbers, texts, or NULL where all cells are missing. */
static postrider_cell* cells_of(const postrider_model* model, SEXP columns) {
  const size_t count = postrider_columns(model), rows = rows_of(columns);
  if ((size_t)XLENGTH(columns) != count) Rf_error("there must be %d columns", (int)count);
  postrider_cell* cells = (postrider_cell*)R_alloc(rows * count + 1, sizeof *cells);
  for (size_t c = 0; c < count; ++c) {
    SEXP column = VECTOR_ELT(columns, (R_xlen_t)c);
    for (size_t row = 0; row < rows; ++row) {
      postrider_cell* cell = cells + row * count + c;
      cell->number = TYPEOF(column) == REALSXP ? REAL(column)[row] : NA_REAL;
      cell->text = TYPEOF(column) == STRSXP ? utf8(STRING_ELT(column, (R_xlen_t)row)) : NULL;
    }
  }
  return cells;
}

/* --- training ---------------------------------------------------------------------------------------------------- */

static void look_for_interrupt(void* unused) {
  (void)unused;
  R_CheckUserInterrupt();
}

/* R jumps out of a check that finds something; it must not jump over the library. */
static int is_interrupted(void* unused) {
  (void)unused;
  return !R_ToplevelExec(look_for_interrupt, NULL);
}

static SEXP train(SEXP columns, SEXP names, SEXP kinds, SEXP target, SEXP options, SEXP values) {
  const size_t count = (size_t)XLENGTH(columns), option_count = (size_t)XLENGTH(options);
  postrider_column* given = (postrider_column*)R_alloc(count + 1, sizeof *given);
  for (size_t c = 0; c < count; ++c) {
    SEXP column = VECTOR_ELT(columns, (R_xlen_t)c);
    given[c].name = utf8(STRING_ELT(names, (R_xlen_t)c));
    given[c].numbers = TYPEOF(column) == REALSXP ? REAL(column) : NULL;
    given[c].texts = TYPEOF(column) == STRSXP ? texts_of(column) : NULL;
    given[c].kind = INTEGER(kinds)[c];
  }
  postrider_option* asked = (postrider_option*)R_alloc(option_count + 1, sizeof *asked);
  for (size_t o = 0; o < option_count; ++o) {
    asked[o].name = utf8(STRING_ELT(options, (R_xlen_t)o));
    asked[o].value = utf8(STRING_ELT(values, (R_xlen_t)o));
  }
  postrider_error error;
  SEXP pointer = empty_pointer();
  return filled(pointer,
                postrider_train(given, count, rows_of(columns), utf8(STRING_ELT(target, 0)), asked,
                                option_count, is_interrupted, NULL, &error),
                &error);
}

static SEXP learn(SEXP pointer, SEXP columns) {
  postrider_error error;
  postrider_model* model = model_of(pointer);
  if (postrider_learn(model, cells_of(model, columns), rows_of(columns), &error)) stop_with(&error);
  return R_NilValue;
}

/* --- predictions ------------------------------------------------------------------------------------------------- */

/* A matrix of mean, standard deviation, its aleatoric part, low and high. */
static SEXP predict(SEXP pointer, SEXP columns, SEXP level) {
  postrider_error error;
  const postrider_model* model = model_of(pointer);
  const size_t rows = rows_of(columns);
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)rows, 5));
  double* at = REAL(out);
  if (postrider_predict_all(model, cells_of(model, columns), rows, Rf_asReal(level), at, at + rows,
                            at + 2 * rows, at + 3 * rows, at + 4 * rows, &error))
    stop_with(&error);
  UNPROTECT(1);
  return out;
}

static SEXP probabilities(SEXP pointer, SEXP columns) {
  postrider_error error;
  const postrider_model* model = model_of(pointer);
  const size_t rows = rows_of(columns), classes = postrider_classes(model);
  double* found = (double*)R_alloc(rows * classes + 1, sizeof *found);
  if (postrider_predict_probabilities(model, cells_of(model, columns), rows, found, &error))
    stop_with(&error);
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)rows, (int)classes));
  for (size_t row = 0; row < rows; ++row)
    for (size_t c = 0; c < classes; ++c) REAL(out)[c * rows + row] = found[row * classes + c];
  UNPROTECT(1);
  return out;
}

static const R_CallMethodDef kCalls[] = {{"c_is_loaded", (DL_FUNC)&is_loaded, 1},
                                         {"c_load_bytes", (DL_FUNC)&load_bytes, 1},
                                         {"c_load_file", (DL_FUNC)&load_file, 1},
                                         {"c_save_file", (DL_FUNC)&save_file, 2},
                                         {"c_save_bytes", (DL_FUNC)&save_bytes, 1},
                                         {"c_describe", (DL_FUNC)&describe, 1},
                                         {"c_train", (DL_FUNC)&train, 6},
                                         {"c_learn", (DL_FUNC)&learn, 2},
                                         {"c_predict", (DL_FUNC)&predict, 3},
                                         {"c_probabilities", (DL_FUNC)&probabilities, 2},
                                         {NULL, NULL, 0}};

void R_init_postrider(DllInfo* library) {
  R_registerRoutines(library, NULL, kCalls, NULL, NULL);
  R_useDynamicSymbols(library, FALSE);
}

/* Predictions of rows. What is made of a model and of a kind of row is kept for all rows of a statement. */
#include "extension.h"

#include <funcapi.h>
#include <math.h>
#include <miscadmin.h>
#include <utils/builtins.h>
#include <utils/memutils.h>
#include <utils/typcache.h>

/* A model with the columns that one kind of row has of it. */
typedef struct bound_model {
  MemoryContext context; /* which owns all the rest */
  char* name;
  postrider_model* model;
  Oid row_type;
  int32 row_typmod;
  size_t columns;
  int* attributes; /* of each column its place in the row, or -1 */
  cell_reader* readers;
  postrider_cell* cells;
} bound_model;

/* Statements that predict with several models in turn keep so many of them. */
#define MOST_KEPT 8

typedef struct kept_models {
  bound_model kept[MOST_KEPT];
  int next;
} kept_models;

static int attribute_named(TupleDesc row, const char* name) {
  for (int place = 0; place < row->natts; ++place) {
    Form_pg_attribute attribute = TupleDescAttr(row, place);
    if (!attribute->attisdropped && strcmp(to_utf8(NameStr(attribute->attname)), name) == 0)
      return place;
  }
  return -1;
}

static void bind_columns(bound_model* bound, TupleDesc row) {
  const size_t target = postrider_target(bound->model);

  bound->columns = postrider_columns(bound->model);
  bound->attributes = palloc(bound->columns * sizeof *bound->attributes);
  bound->readers = palloc0(bound->columns * sizeof *bound->readers);
  bound->cells = palloc(bound->columns * sizeof *bound->cells);
  for (size_t column = 0; column < bound->columns; ++column) {
    const char* name = postrider_column_name(bound->model, column);
    const bool is_needed =
        column != target && strcmp(postrider_column_kind(bound->model, column), "ignored") != 0;
    const int place = is_needed ? attribute_named(row, name) : -1;

    if (is_needed && place < 0)
      ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN),
                      errmsg("model \"%s\": the row lacks the column \"%s\"", bound->name,
                             from_utf8(name)),
                      errhint("Pass a whole row, as in postrider_predict('model', r) FROM "
                              "some_table r, or a subquery's.")));
    bound->attributes[column] = place;
    if (place >= 0)
      open_cell_reader(&bound->readers[column], TupleDescAttr(row, place)->atttypid,
                       from_utf8(name));
  }
}

/* In a context of its own: if anything fails, its end frees the model. */
static void bind_model(bound_model* bound, const char* name, FunctionCallInfo call, Oid row_type,
                       int32 row_typmod) {
  MemoryContext context =
      AllocSetContextCreate(call->flinfo->fn_mcxt, "postrider model", ALLOCSET_DEFAULT_SIZES);
  MemoryContext old = MemoryContextSwitchTo(context);
  TupleDesc row;

  bound->context = context;
  bound->name = pstrdup(name);
  bound->model = load_model(name, call->flinfo->fn_oid, context);
  bound->row_type = row_type;
  bound->row_typmod = row_typmod;
  row = lookup_rowtype_tupdesc(row_type, row_typmod);
  bind_columns(bound, row);
  ReleaseTupleDesc(row);
  MemoryContextSwitchTo(old);
}

static bound_model* model_for(FunctionCallInfo call, const char* name, HeapTupleHeader row) {
  kept_models* models = call->flinfo->fn_extra;
  const Oid row_type = HeapTupleHeaderGetTypeId(row);
  const int32 row_typmod = HeapTupleHeaderGetTypMod(row);
  bound_model* out;

  if (models == NULL)
    models = call->flinfo->fn_extra = MemoryContextAllocZero(call->flinfo->fn_mcxt, sizeof *models);
  for (int place = 0; place < MOST_KEPT; ++place) {
    out = &models->kept[place];
    if (out->context != NULL && out->row_type == row_type && out->row_typmod == row_typmod &&
        strcmp(out->name, name) == 0)
      return out;
  }
  out = &models->kept[models->next];
  if (out->context != NULL) {
    MemoryContext old = out->context;
    out->context = NULL;
    MemoryContextDelete(old);
  }
  {
    bound_model fresh = {0};
    bind_model(&fresh, name, call, row_type, row_typmod);
    *out = fresh;
  }
  models->next = (models->next + 1) % MOST_KEPT;
  return out;
}

/* The model, with its cells those of the row. */
static bound_model* model_with_row(FunctionCallInfo fcinfo) {
  HeapTupleHeader row = PG_GETARG_HEAPTUPLEHEADER(1);
  bound_model* bound;

  CHECK_FOR_INTERRUPTS();
  bound = model_for(fcinfo, text_to_cstring(PG_GETARG_TEXT_PP(0)), row);
  for (size_t column = 0; column < bound->columns; ++column) {
    bool is_null = true;
    Datum value = 0;

    bound->cells[column].number = NAN;
    bound->cells[column].text = NULL;
    if (bound->attributes[column] < 0) continue;
    value = GetAttributeByNum(row, (AttrNumber)(bound->attributes[column] + 1), &is_null);
    bound->cells[column] = read_cell(&bound->readers[column], value, is_null);
  }
  return bound;
}

static Datum record_of(FunctionCallInfo call, Datum* values) {
  bool nulls[4] = {false, false, false, false};
  TupleDesc type;

  if (get_call_result_type(call, NULL, &type) != TYPEFUNC_COMPOSITE)
    elog(ERROR, "the result must be a record");
  return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(type), values, nulls));
}

/* Names in C are not those in SQL where the library has the same ones. */
PG_FUNCTION_INFO_V1(predict_row);
Datum predict_row(PG_FUNCTION_ARGS) {
  bound_model* bound = model_with_row(fcinfo);
  double mean, std, low, high;
  postrider_error error;

  if (postrider_predict_all(bound->model, bound->cells, 1, PG_GETARG_FLOAT8(2), &mean, &std, NULL,
                            &low, &high, &error))
    raise_error(&error, bound->name);
  PG_RETURN_DATUM(record_of(fcinfo, (Datum[]){Float8GetDatum(mean), Float8GetDatum(std),
                                              Float8GetDatum(low), Float8GetDatum(high)}));
}

/* One for each class, in the current memory context. */
static double* probabilities_of(const bound_model* bound) {
  postrider_error error;
  double* out = palloc((postrider_classes(bound->model) + 1) * sizeof *out);

  if (postrider_predict_probabilities(bound->model, bound->cells, 1, out, &error))
    raise_error(&error, bound->name);
  return out;
}

PG_FUNCTION_INFO_V1(classify_row);
Datum classify_row(PG_FUNCTION_ARGS) {
  bound_model* bound = model_with_row(fcinfo);
  const double* probabilities = probabilities_of(bound);
  size_t likeliest = 0;

  for (size_t which = 1; which < postrider_classes(bound->model); ++which)
    if (probabilities[which] > probabilities[likeliest]) likeliest = which;
  PG_RETURN_DATUM(record_of(
      fcinfo,
      (Datum[]){CStringGetTextDatum(from_utf8(postrider_class_name(bound->model, likeliest))),
                Float8GetDatum(probabilities[likeliest])}));
}

PG_FUNCTION_INFO_V1(probability_of_row);
Datum probability_of_row(PG_FUNCTION_ARGS) {
  bound_model* bound = model_with_row(fcinfo);
  const char* wanted = text_to_cstring(PG_GETARG_TEXT_PP(2));
  const double* probabilities = probabilities_of(bound);

  for (size_t which = 0; which < postrider_classes(bound->model); ++which)
    if (strcmp(postrider_class_name(bound->model, which), to_utf8(wanted)) == 0)
      PG_RETURN_FLOAT8(probabilities[which]);
  ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                  errmsg("model \"%s\": \"%s\" is not one of its classes", bound->name, wanted)));
}

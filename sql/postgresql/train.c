/* Training from a query, and going on with one. */
#include "extension.h"

#include <catalog/pg_type.h>
#include <math.h>
#include <miscadmin.h>
#include <utils/builtins.h>
#include <utils/jsonb.h>
#include <utils/memutils.h>

#define ROWS_AT_ONCE 1000

/* --- a query's rows, column by column ------------------------------------------------------------------------------ */

typedef struct query_column {
  const char* name; /* UTF-8 */
  cell_reader reader;
  double* numbers; /* or texts */
  const char** texts;
} query_column;

typedef struct query_rows {
  int count;
  query_column* columns;
  size_t rows, room;
} query_rows;

static void open_columns(query_rows* read, TupleDesc row) {
  read->count = row->natts;
  read->columns = palloc0(sizeof *read->columns * (size_t)Max(row->natts, 1));
  for (int place = 0; place < row->natts; ++place) {
    query_column* column = &read->columns[place];
    const char* name = NameStr(TupleDescAttr(row, place)->attname);

    column->name = to_utf8(pstrdup(name));
    open_cell_reader(&column->reader, TupleDescAttr(row, place)->atttypid, pstrdup(name));
  }
}

static void* grown(void* from, size_t bytes) {
  return from == NULL ? MemoryContextAllocHuge(CurrentMemoryContext, bytes)
                      : repalloc_huge(from, bytes);
}

static void make_room(query_rows* read, size_t rows) {
  if (rows <= read->room) return;
  read->room = Max(rows, 2 * read->room);
  for (int place = 0; place < read->count; ++place) {
    query_column* column = &read->columns[place];
    if (reads_numbers(&column->reader))
      column->numbers = grown(column->numbers, read->room * sizeof *column->numbers);
    else
      column->texts = grown(column->texts, read->room * sizeof *column->texts);
  }
}

static void add_row(query_rows* read, HeapTuple row, TupleDesc type) {
  for (int place = 0; place < read->count; ++place) {
    query_column* column = &read->columns[place];
    bool is_null;
    const Datum value = SPI_getbinval(row, type, place + 1, &is_null);
    const postrider_cell cell = read_cell(&column->reader, value, is_null);

    if (column->numbers != NULL)
      column->numbers[read->rows] = cell.number;
    else
      column->texts[read->rows] = cell.text;
  }
  ++read->rows;
}

/* Whatever is read is in the current memory context, which is not SPI's. */
static query_rows* read_query(const char* query) {
  MemoryContext own = CurrentMemoryContext;
  query_rows* out = palloc0(sizeof *out);
  SPIPlanPtr plan;
  Portal portal;

  SPI_connect();
  plan = SPI_prepare(query, 0, NULL);
  if (plan == NULL)
    elog(ERROR, "the query cannot be planned: %s", SPI_result_code_string(SPI_result));
  if (!SPI_is_cursor_plan(plan))
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("query = \"%s\": must be one that returns rows", query)));
  portal = SPI_cursor_open(NULL, plan, NULL, NULL, true);
  MemoryContextSwitchTo(own);
  open_columns(out, portal->tupDesc);
  for (;;) {
    SPI_cursor_fetch(portal, true, ROWS_AT_ONCE);
    MemoryContextSwitchTo(own);
    if (SPI_processed == 0) break;
    make_room(out, out->rows + SPI_processed);
    for (uint64 row = 0; row < SPI_processed; ++row)
      add_row(out, SPI_tuptable->vals[row], SPI_tuptable->tupdesc);
    SPI_freetuptable(SPI_tuptable);
    CHECK_FOR_INTERRUPTS();
  }
  SPI_cursor_close(portal);
  SPI_finish();
  MemoryContextSwitchTo(own);
  return out;
}

/* --- options ------------------------------------------------------------------------------------------------------- */

/* As the library writes them: flags as yes and no, lists with commas. */
static const char kOptions[] =
    "SELECT key, CASE pg_catalog.jsonb_typeof(value)"
    " WHEN 'boolean' THEN CASE WHEN value::pg_catalog.bool THEN 'yes' ELSE 'no' END"
    " WHEN 'array' THEN (SELECT pg_catalog.string_agg(each, ',') FROM "
    "pg_catalog.jsonb_array_elements_text(value) each)"
    " ELSE value #>> '{}' END FROM pg_catalog.jsonb_each($1)";

typedef struct given_options {
  postrider_option* all;
  size_t count;
} given_options;

static given_options read_options(Datum options) {
  MemoryContext own = CurrentMemoryContext;
  Oid types[] = {JSONBOID};
  Datum values[] = {options};
  given_options out = {NULL, 0};

  if (!JB_ROOT_IS_OBJECT(DatumGetJsonbP(options)))
    ereport(
        ERROR,
        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
         errmsg(
             "options must be an object, as in '{\"effort\": \"quick\", \"hidden\": [20, 20]}'")));
  SPI_connect();
  SPI_execute_with_args(kOptions, 1, types, values, NULL, true, 0);
  MemoryContextSwitchTo(own);
  out.all = palloc((SPI_processed + 1) * sizeof *out.all);
  for (out.count = 0; out.count < SPI_processed; ++out.count) {
    const HeapTuple row = SPI_tuptable->vals[out.count];
    const char* name = SPI_getvalue(row, SPI_tuptable->tupdesc, 1);
    const char* value = SPI_getvalue(row, SPI_tuptable->tupdesc, 2);

    if (value == NULL)
      ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                      errmsg("option \"%s\" has no value", name)));
    if (strcmp(name, "threads") == 0 && strcmp(value, "1") != 0)
      ereport(ERROR,
              (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
               errmsg("threads = %s: must be 1, as a session of the server has one", value)));
    if (strcmp(name, "checkpoint") == 0 || strcmp(name, "resume") == 0 ||
        strncmp(name, "store", 5) == 0)
      ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                      errmsg("option \"%s\": the server writes no files of sessions", name)));
    out.all[out.count].name = to_utf8(pstrdup(name));
    out.all[out.count].value = to_utf8(pstrdup(value));
  }
  SPI_finish();
  MemoryContextSwitchTo(own);
  return out;
}

/* --- training ------------------------------------------------------------------------------------------------------ */

/* What interrupted training, to be raised again when the library has returned. */
typedef struct interruption {
  ErrorData* error;
  MemoryContext context;
} interruption;

/* A statement that is cancelled raises an ERROR, which must not jump over the library. */
static int is_interrupted(void* context) {
  interruption* found = context;

  PG_TRY();
  { CHECK_FOR_INTERRUPTS(); }
  PG_CATCH();
  {
    MemoryContextSwitchTo(found->context);
    found->error = CopyErrorData();
    FlushErrorState();
  }
  PG_END_TRY();
  return found->error != NULL;
}

PG_FUNCTION_INFO_V1(fit_query);
Datum fit_query(PG_FUNCTION_ARGS) {
  const given_options options = read_options(PG_GETARG_DATUM(2));
  const query_rows* read = read_query(text_to_cstring(PG_GETARG_TEXT_PP(0)));
  const char* target = to_utf8(text_to_cstring(PG_GETARG_TEXT_PP(1)));
  postrider_column* columns = palloc0(sizeof *columns * (size_t)Max(read->count, 1));
  interruption found = {NULL, CurrentMemoryContext};
  postrider_error error;
  postrider_model* model;
  MemoryContext own;
  bytea* out;

  for (int place = 0; place < read->count; ++place) {
    const query_column* column = &read->columns[place];
    columns[place] =
        (postrider_column){column->name, column->numbers, column->texts, POSTRIDER_INFERRED};
    /* A type says more than the cells: numbers are amounts, also if they are few. */
    if (strcmp(column->name, target) == 0)
      columns[place].kind =
          reads_numbers(&column->reader) ? POSTRIDER_NUMERIC : POSTRIDER_CATEGORICAL;
  }
  if (read->rows == 0)
    ereport(ERROR, (errcode(ERRCODE_NO_DATA),
                    errmsg("the query returned no row: there is nothing to learn")));
  own = AllocSetContextCreate(CurrentMemoryContext, "postrider model", ALLOCSET_SMALL_SIZES);
  model = postrider_train(columns, (size_t)read->count, read->rows, target, options.all,
                          options.count, is_interrupted, &found, &error);
  if (found.error != NULL) {
    postrider_free(model);
    ReThrowError(found.error);
  }
  if (model == NULL) raise_error(&error, NULL);
  own_model(model, own);
  out = bytes_of(model);
  MemoryContextDelete(own);
  PG_RETURN_BYTEA_P(out);
}

/* Row by row the cells of the model's columns. */
static postrider_cell* cells_of(const postrider_model* model, const query_rows* read) {
  const size_t columns = postrider_columns(model);
  postrider_cell* out =
      MemoryContextAllocHuge(CurrentMemoryContext, (read->rows * columns + 1) * sizeof *out);

  for (size_t column = 0; column < columns; ++column) {
    const char* name = postrider_column_name(model, column);
    const query_column* found = NULL;

    for (int place = 0; place < read->count; ++place)
      if (strcmp(read->columns[place].name, name) == 0) found = &read->columns[place];
    if (found == NULL && strcmp(postrider_column_kind(model, column), "ignored") != 0)
      ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN),
                      errmsg("the query lacks the column \"%s\"", from_utf8(name))));
    for (size_t row = 0; row < read->rows; ++row) {
      postrider_cell* cell = &out[row * columns + column];
      cell->number = found != NULL && found->numbers != NULL ? found->numbers[row] : NAN;
      cell->text = found != NULL && found->texts != NULL ? found->texts[row] : NULL;
    }
  }
  return out;
}

PG_FUNCTION_INFO_V1(learn_query);
Datum learn_query(PG_FUNCTION_ARGS) {
  MemoryContext own =
      AllocSetContextCreate(CurrentMemoryContext, "postrider model", ALLOCSET_SMALL_SIZES);
  postrider_model* model = load_bytes(PG_GETARG_BYTEA_PP(0), NULL, own);
  const query_rows* read = read_query(text_to_cstring(PG_GETARG_TEXT_PP(1)));
  const postrider_cell* cells = cells_of(model, read);
  const size_t columns = postrider_columns(model);
  postrider_error error;
  bytea* out;

  /* In parts, so that the statement can be cancelled between them. */
  for (size_t first = 0; first < read->rows; first += ROWS_AT_ONCE) {
    CHECK_FOR_INTERRUPTS();
    if (postrider_learn(model, cells + first * columns, Min(ROWS_AT_ONCE, read->rows - first),
                        &error))
      raise_error(&error, NULL);
  }
  out = bytes_of(model);
  MemoryContextDelete(own);
  PG_RETURN_BYTEA_P(out);
}

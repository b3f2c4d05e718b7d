/* Models by name: from the table postrider_models, or from a file below a folder that the superuser names. */
#include "extension.h"

#include <catalog/pg_type.h>
#include <miscadmin.h>
#include <utils/builtins.h>
#include <utils/guc.h>
#include <utils/lsyscache.h>
#include <utils/memutils.h>

PG_MODULE_MAGIC;

static char* model_directory = NULL;
static const char kFile[] = "file:";

void _PG_init(void);
void _PG_init(void) {
  DefineCustomStringVariable(
      "postrider.model_directory",
      "The folder of model files, which everybody may predict with by the name 'file:NAME'.",
      "Empty: there is none.", &model_directory, "", PGC_SUSET, 0, NULL, NULL, NULL);
#if PG_VERSION_NUM >= 150000
  MarkGUCPrefixReserved("postrider");
#endif
}

static int code_of(postrider_status status) {
  switch (status) {
    case POSTRIDER_INVALID_ARGUMENT:
      return ERRCODE_INVALID_PARAMETER_VALUE;
    case POSTRIDER_FILE_ERROR:
      return ERRCODE_IO_ERROR;
    case POSTRIDER_CORRUPT:
      return ERRCODE_DATA_EXCEPTION;
    case POSTRIDER_OUT_OF_MEMORY:
      return ERRCODE_OUT_OF_MEMORY;
    default:
      return ERRCODE_EXTERNAL_ROUTINE_EXCEPTION;
  }
}

void raise_error(const postrider_error* error, const char* model) {
  if (model == NULL)
    ereport(ERROR, (errcode(code_of(error->status)), errmsg("%s", from_utf8(error->message))));
  ereport(ERROR, (errcode(code_of(error->status)),
                  errmsg("model \"%s\": %s", model, from_utf8(error->message))));
}

/* --- ownership --------------------------------------------------------------------------------------------------- */

static void free_model(void* model) { postrider_free(model); }

/* The callback has its memory before there is a model, so that none is lost. */
static MemoryContextCallback* new_owner(MemoryContext context) {
  MemoryContextCallback* owner = MemoryContextAllocZero(context, sizeof *owner);

  owner->func = free_model;
  MemoryContextRegisterResetCallback(context, owner);
  return owner;
}

postrider_model* load_bytes(bytea* bytes, const char* name, MemoryContext context) {
  postrider_error error;
  MemoryContextCallback* owner = new_owner(context);

  owner->arg = postrider_load_bytes(VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes), &error);
  if (owner->arg == NULL) raise_error(&error, name);
  return owner->arg;
}

void own_model(postrider_model* model, MemoryContext context) {
  PG_TRY();
  { new_owner(context)->arg = model; }
  PG_CATCH();
  {
    postrider_free(model);
    PG_RE_THROW();
  }
  PG_END_TRY();
}

bytea* bytes_of(const postrider_model* model) {
  postrider_error error;
  size_t size = 0;
  bytea* out = NULL;
  char* bytes = postrider_save_bytes(model, &size, &error);

  if (bytes == NULL) raise_error(&error, NULL);
  PG_TRY();
  {
    if (size > MaxAllocSize - VARHDRSZ)
      ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                      errmsg("the model has %zu bytes: a value may have at most %zu", size,
                             (size_t)MaxAllocSize - VARHDRSZ)));
    out = palloc(size + VARHDRSZ);
    SET_VARSIZE(out, size + VARHDRSZ);
    memcpy(VARDATA(out), bytes, size);
  }
  PG_FINALLY();
  { postrider_free_bytes(bytes); }
  PG_END_TRY();
  return out;
}

/* --- names ------------------------------------------------------------------------------------------------------- */

static postrider_model* model_of_file(const char* file, const char* name, MemoryContext context) {
  postrider_error error;
  MemoryContextCallback* owner;

  if (model_directory == NULL || *model_directory == '\0')
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("there is no folder of model files"),
                    errhint("The superuser names one by the setting postrider.model_directory.")));
  if (*file == '\0' || *file == '.' || strpbrk(file, "/\\") != NULL)
    ereport(
        ERROR,
        (errcode(ERRCODE_INVALID_NAME),
         errmsg(
             "model \"%s\": must be the name of a file in the folder of models, without its path",
             name)));
  owner = new_owner(context);
  owner->arg = postrider_load(psprintf("%s/%s", model_directory, file), &error);
  if (owner->arg == NULL) {
    /* The message of the library has the path, which is the superuser's affair. */
    if (error.status == POSTRIDER_FILE_ERROR)
      ereport(ERROR, (errcode(ERRCODE_UNDEFINED_FILE),
                      errmsg("model \"%s\": the file cannot be read", name)));
    raise_error(&error, name);
  }
  return owner->arg;
}

static bytea* stored_bytes(const char* name, Oid function, MemoryContext context) {
  Oid types[] = {TEXTOID};
  Datum values[] = {CStringGetTextDatum(name)};
  bytea* out = NULL;
  bool is_null;
  const char* query =
      psprintf("SELECT model FROM %s.postrider_models WHERE name OPERATOR(pg_catalog.=) $1",
               quote_identifier(get_namespace_name(get_func_namespace(function))));

  SPI_connect();
  if (SPI_execute_with_args(query, 1, types, values, NULL, true, 1) == SPI_OK_SELECT &&
      SPI_processed == 1) {
    Datum found = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &is_null);
    MemoryContext old = MemoryContextSwitchTo(context);
    out = DatumGetByteaPCopy(found);
    MemoryContextSwitchTo(old);
  }
  SPI_finish();
  if (out == NULL)
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("there is no model \"%s\"", name),
                    errhint("postrider_train() makes one; a model file is named as 'file:NAME'.")));
  return out;
}

postrider_model* load_model(const char* name, Oid function, MemoryContext context) {
  bytea* bytes;
  postrider_model* out;

  if (strncmp(name, kFile, sizeof kFile - 1) == 0)
    return model_of_file(name + sizeof kFile - 1, name, context);
  bytes = stored_bytes(name, function, CurrentMemoryContext);
  out = load_bytes(bytes, name, context);
  pfree(bytes);
  return out;
}

PG_FUNCTION_INFO_V1(rows_of_model);
/* A context of its own, so that the model goes when the call ends. */
Datum rows_of_model(PG_FUNCTION_ARGS) {
  MemoryContext own =
      AllocSetContextCreate(CurrentMemoryContext, "postrider model", ALLOCSET_SMALL_SIZES);
  const size_t rows = postrider_rows_learned(load_bytes(PG_GETARG_BYTEA_PP(0), NULL, own));

  MemoryContextDelete(own);
  PG_RETURN_INT64((int64)rows);
}

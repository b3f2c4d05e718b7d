/* What the files of the extension share.
 *
 * Two rules keep the server whole. An ERROR of PostgreSQL jumps, and must never jump over the library's frames: what the
 * library calls back catches it. And models are not PostgreSQL's memory: each is owned by a memory context whose
 * callback frees it, or freed in PG_FINALLY.
 */
#ifndef POSTRIDER_SQL_EXTENSION_H
#define POSTRIDER_SQL_EXTENSION_H

#include <postgres.h>

#include <access/tupdesc.h>
#include <executor/spi.h>
#include <fmgr.h>

#include <postrider/c_api.h>

/* --- cells.c: values of PostgreSQL as cells --------------------------------------------------------------------- */

/* How values of one column are read. */
typedef struct cell_reader {
  Oid type;           /* below domains */
  FmgrInfo to_text;   /* for types that are neither numbers nor dates */
  const char* column; /* for messages */
} cell_reader;

extern void open_cell_reader(cell_reader* reader, Oid type, const char* column);
/* Whether all cells of this type are numbers. */
extern bool reads_numbers(const cell_reader* reader);
/* A text is in the current memory context. */
extern postrider_cell read_cell(cell_reader* reader, Datum value, bool is_null);

/* Text in the library's encoding, and back. */
extern const char* to_utf8(const char* text);
extern const char* from_utf8(const char* text);

/* --- models.c ---------------------------------------------------------------------------------------------------- */

pg_attribute_noreturn() extern void raise_error(const postrider_error* error, const char* model);
/* The model of this name, from the table beside the function or a file; it lives as long as the context. */
extern postrider_model* load_model(const char* name, Oid function, MemoryContext context);
/* The model of these bytes, likewise. */
extern postrider_model* load_bytes(bytea* bytes, const char* name, MemoryContext context);
extern bytea* bytes_of(const postrider_model* model);
/* Binds the model to the context. */
extern void own_model(postrider_model* model, MemoryContext context);

#endif

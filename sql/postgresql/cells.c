/* Values of PostgreSQL as cells: numbers as numbers, all else as the texts that a file would have. */
#include "extension.h"

#include <catalog/pg_type.h>
#include <math.h>
#include <mb/pg_wchar.h>
#include <utils/builtins.h>
#include <utils/date.h>
#include <utils/datetime.h>
#include <utils/lsyscache.h>
#include <utils/timestamp.h>

void open_cell_reader(cell_reader* reader, Oid type, const char* column) {
  Oid to_text;
  bool is_varlena;

  reader->type = getBaseType(type);
  reader->column = column;
  if (type_is_array(reader->type) || type_is_rowtype(reader->type) || reader->type == BYTEAOID)
    ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                    errmsg("column \"%s\" is of type %s: must be a number, a text, a boolean, an "
                           "enumeration or a date",
                           column, format_type_be(type))));
  getTypeOutputInfo(reader->type, &to_text, &is_varlena);
  fmgr_info(to_text, &reader->to_text);
}

bool reads_numbers(const cell_reader* reader) {
  switch (reader->type) {
    case INT2OID:
    case INT4OID:
    case INT8OID:
    case FLOAT4OID:
    case FLOAT8OID:
    case NUMERICOID:
      return true;
    default:
      return false;
  }
}

const char* to_utf8(const char* text) { return pg_server_to_any(text, (int)strlen(text), PG_UTF8); }

const char* from_utf8(const char* text) {
  return pg_any_to_server(text, (int)strlen(text), PG_UTF8);
}

static double number_of(const cell_reader* reader, Datum value) {
  switch (reader->type) {
    case INT2OID:
      return DatumGetInt16(value);
    case INT4OID:
      return DatumGetInt32(value);
    case INT8OID:
      return (double)DatumGetInt64(value);
    case FLOAT4OID:
      return DatumGetFloat4(value);
    case FLOAT8OID:
      return DatumGetFloat8(value);
    default:
      return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, value));
  }
}

static void refuse_infinity(const cell_reader* reader) {
  ereport(ERROR,
          (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
           errmsg("column \"%s\" has an infinite date: must be finite, or null", reader->column)));
}

/* Year first, whatever the session's DateStyle is. */
static char* text_of_date(const cell_reader* reader, DateADT date) {
  int year, month, day;

  if (DATE_NOT_FINITE(date)) refuse_infinity(reader);
  j2date(date + POSTGRES_EPOCH_JDATE, &year, &month, &day);
  return psprintf("%04d-%02d-%02d", year, month, day);
}

static char* text_of_time(const cell_reader* reader, Timestamp time, bool has_zone) {
  struct pg_tm at;
  fsec_t fraction;
  int zone;

  if (TIMESTAMP_NOT_FINITE(time)) refuse_infinity(reader);
  if (timestamp2tm(time, has_zone ? &zone : NULL, &at, &fraction, NULL, NULL) != 0)
    ereport(ERROR, (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
                    errmsg("column \"%s\" has a time out of range", reader->column)));
  return psprintf("%04d-%02d-%02d %02d:%02d:%02d", at.tm_year, at.tm_mon, at.tm_mday, at.tm_hour,
                  at.tm_min, at.tm_sec);
}

postrider_cell read_cell(cell_reader* reader, Datum value, bool is_null) {
  postrider_cell out = {NAN, NULL};

  if (is_null) return out;
  if (reads_numbers(reader)) {
    out.number = number_of(reader, value);
    return out;
  }
  switch (reader->type) {
    case BOOLOID:
      out.text = DatumGetBool(value) ? "true" : "false";
      break;
    case DATEOID:
      out.text = text_of_date(reader, DatumGetDateADT(value));
      break;
    case TIMESTAMPOID:
      out.text = text_of_time(reader, DatumGetTimestamp(value), false);
      break;
    case TIMESTAMPTZOID:
      out.text = text_of_time(reader, DatumGetTimestampTz(value), true);
      break;
    default:
      out.text = to_utf8(OutputFunctionCall(&reader->to_text, value));
  }
  return out;
}

#include "data/other_formats.h"

#include <array>

#include "postrider/error.h"

namespace postrider::internal {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kAsText = "save it as CSV";
constexpr std::string_view kArrowAdvice =
    "in Python, postrider.TableModel takes such tables, and so does this program where the module "
    "for Arrow files is (tools/arrow-module); else write it as CSV, such as by "
    "pyarrow.csv.write_csv, or "
    "through a pipe to standard input, which is -";

struct Format {
  std::string_view magic, name, advice;
};

constexpr std::array kFormats{
    Format{"BZh"sv, "compressed by bzip2",
           "gzip and Zstandard are read; send it through a pipe: bzip2 -dc FILE | postrider ... -"},
    Format{"\xfd"
           "7zXZ"sv,
           "compressed by xz",
           "gzip and Zstandard are read; send it through a pipe: xz -dc FILE | postrider ... -"},
    Format{"\x04\x22\x4d\x18"sv, "compressed by lz4",
           "gzip and Zstandard are read; send it through a pipe: lz4 -dc FILE | postrider ... -"},
    Format{"7z\xbc\xaf\x27\x1c"sv, "a 7z archive", "unpack it first"},
    Format{"Rar!\x1a\x07"sv, "a RAR archive", "unpack it first"},
    Format{"PAR1"sv, "a Parquet file", kArrowAdvice},
    Format{"ARROW1"sv, "an Arrow file", kArrowAdvice},
    Format{"\xff\xff\xff\xff"sv, "an Arrow stream", kArrowAdvice},
    Format{"FEA1"sv, "a Feather file", kArrowAdvice},
    Format{"ORC"sv, "an ORC file", kArrowAdvice},
    Format{"Obj\x01"sv, "an Avro file", kAsText},
    Format{"\x89HDF\r\n\x1a\n"sv, "an HDF5 file", kAsText},
    Format{"\x93NUMPY"sv, "an array of NumPy", kAsText},
    Format{"SQLite format 3"sv, "a database of SQLite", kAsText},
    Format{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv, "an old Excel file", "save its sheet as CSV"},
    Format{"%PDF-"sv, "a PDF", kAsText},
};

std::string zip_advice(std::string_view bytes) {
  const auto has = [&](std::string_view part) { return bytes.find(part) != bytes.npos; };
  if (has("[Content_Types].xml") || has("xl/")) return "is an Excel file: save its sheet as CSV";
  if (has("application/vnd.oasis.opendocument"))
    return "is an OpenDocument file: save its sheet as CSV";
  return "is a zip archive: unpack it first, or send one file of it through a pipe: unzip -p FILE "
         "| postrider ... -";
}

bool is_json(std::string_view bytes) {
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  if (first == bytes.npos || (bytes[first] != '{' && bytes[first] != '[')) return false;
  const std::size_t next = bytes.find_first_not_of(" \t\r\n", first + 1);
  return next != bytes.npos && (bytes[next] == '{' || bytes[next] == '"' || bytes[next] == '[');
}

// Eight bytes of a length, and JSON that begins with metadata.
bool is_model(std::string_view bytes) {
  return bytes.size() > 8 && bytes.substr(8).starts_with("{\"__metadata__\"") &&
         bytes.substr(0, 8).find('\0') != bytes.npos;
}

}  // namespace

std::string advice_on(std::string_view bytes) {
  for (const Format& format : kFormats)
    if (bytes.starts_with(format.magic))
      return "is " + std::string(format.name) + ": " + std::string(format.advice);
  if (bytes.starts_with("PK\x03\x04")) return zip_advice(bytes);
  if (is_model(bytes)) return "is a model file, and a table is expected here: are both exchanged?";
  if (is_json(bytes))
    return "is JSON: write it as CSV; postrider stream and serve read lines of JSON";
  // A text of one line without an end may hold one carriage return, and hardly two.
  if (bytes.find('\n') == bytes.npos && bytes.find('\r') != bytes.rfind('\r'))
    return "ends its lines with a carriage return alone: write it with line feeds, such as by tr "
           "'\\r' '\\n'";
  return "";
}

void expect_text(std::string_view first_bytes, const std::string& name) {
  const std::string advice = advice_on(first_bytes);
  if (!advice.empty()) throw CorruptFile("cannot read " + name + ": it " + advice);
}

}  // namespace postrider::internal

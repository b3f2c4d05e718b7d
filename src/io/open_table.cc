#include "io/open_table.h"

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <fstream>

#include "arrow_files/arrow_files.h"
#include "postrider/error.h"

namespace postrider::cli {
TableOptions DataRequest::options() const {
  TableOptions out;
  if (format == "csv")
    out.format = TableOptions::Format::csv;
  else if (format == "libsvm")
    out.format = TableOptions::Format::libsvm;
  else if (format != "infer")
    reject("--format", format, "must be infer, csv or libsvm");
  if (delimiter == "tab" || delimiter == "\\t")
    out.delimiter = '\t';
  else if (delimiter.size() == 1)
    out.delimiter = delimiter[0];
  else if (!delimiter.empty())
    reject("--delimiter", delimiter, "must be one character, or tab");
  out.header = !no_header;
  out.keys = keys;
  out.skip_bad = skip_bad;
  return out;
}

TableReader open_for_model(const DataRequest& request, const TableModel& model, RowsFor use) {
  TableOptions options = request.options();
  options.may_lack_columns = use == RowsFor::prediction;
  return open_table(request.path, model.schema(), options);
}

LoadedTable read_all(TableReader& reader) {
  LoadedTable out{
      Table(reader.schema(), std::vector<Table::Column>(reader.schema().columns.size())), {}};
  for (Table chunk; reader.next(chunk);) {
    for (std::size_t row = 0; row < chunk.rows(); ++row) out.lines.push_back(chunk.line(row));
    out.table.append(chunk);
  }
  return out;
}

namespace {

constexpr const char* kModuleVariable =
    "POSTRIDER_ARROW";  // where the module is, if somewhere else

// The module stays loaded: streams that it opened call it. Null if there is none.
internal::OpenArrow* open_arrow() {
  const char* const named = std::getenv(kModuleVariable);
  void* const module =
      dlopen(named != nullptr ? named : internal::kArrowModule, RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr && named != nullptr) {
    const char* const why = dlerror();
    reject(kModuleVariable, named, std::string("must be the module for Arrow files: ") + why);
  }
  return module == nullptr
             ? nullptr
             : reinterpret_cast<internal::OpenArrow*>(dlsym(module, internal::kArrowFunction));
}

bool is_arrow_file(const std::string& path) {
  if (path == "-") return false;  // it cannot be read from any place
  std::ifstream file(path, std::ios::binary);
  std::array<char, 8> first{};
  file.read(first.data(), first.size());
  return internal::is_arrow(
      std::string_view(first.data(), static_cast<std::size_t>(file.gcount())));
}

ArrowArrayStream stream_of(internal::OpenArrow& open, const std::string& path,
                           const std::string* bytes) {
  ArrowArrayStream out{};
  const char* const wrong = bytes == nullptr ? open(path.c_str(), nullptr, 0, &out)
                                             : open("", bytes->data(), bytes->size(), &out);
  if (wrong != nullptr) throw CorruptFile("cannot read " + path + ": " + wrong);
  return out;
}

void expect_unformatted(const TableOptions& options, const std::string& path) {
  if (options.format != TableOptions::Format::infer)
    reject("--format", options.format == TableOptions::Format::csv ? "csv" : "libsvm",
           "must not be given for " + path + ", which is not text");
}

}  // namespace

TableReader open_table(const std::string& path, const TableOptions& options) {
  internal::OpenArrow* const open = is_arrow_file(path) ? open_arrow() : nullptr;
  if (open == nullptr) return TableReader(path, options);
  expect_unformatted(options, path);
  ArrowArrayStream stream = stream_of(*open, path, nullptr);
  return read_arrow(stream, options);
}

TableReader open_table(const std::string& path, const Schema& schema, const TableOptions& options) {
  internal::OpenArrow* const open = is_arrow_file(path) ? open_arrow() : nullptr;
  if (open == nullptr) return TableReader(path, schema, options);
  expect_unformatted(options, path);
  ArrowArrayStream stream = stream_of(*open, path, nullptr);
  return read_arrow(stream, schema, options);
}

TableReader open_arrow_bytes(const std::string& bytes, const Schema& schema,
                             const TableOptions& options) {
  internal::OpenArrow* const open = open_arrow();
  if (open == nullptr)
    throw InvalidArgument(std::string("Arrow's format needs the module ") + internal::kArrowModule +
                          ", which was not found");
  ArrowArrayStream stream = stream_of(*open, "the body", &bytes);
  return read_arrow(stream, schema, options);
}

}  // namespace postrider::cli

#include "sparse/file_notes.h"

#include <cmath>

#include "base/number_text.h"
#include "postrider/error.h"
#include "postrider/version.h"

namespace postrider::internal::hashed {

Metadata notes_of(const std::string& format, const sparse::SparseOptions& options) {
  Metadata out{{"format", format}, {"writer", std::string("postrider ") + kVersion}};
  for (const OptionInfo& info : sparse::sparse_options())
    out[std::string(info.name)] = to_string(sparse::get_sparse_option(options, info.name));
  return out;
}

FileNotes::FileNotes(const std::string& path, const Metadata& metadata, const std::string& format)
    : path_(path), metadata_(metadata) {
  const std::string found = text("format");
  if (found.starts_with("postrider model"))
    fail(
        "it is a model of rows with columns, which postrider predict, TableModel and the "
        "estimators read");
  if (found != format) fail("it is not a sparse model of this version");
}

void FileNotes::fail(const std::string& what) const {
  throw CorruptFile("cannot read the sparse model " + path_ + ": " + what);
}

const std::string& FileNotes::text(const std::string& key) const {
  const auto found = metadata_.find(key);
  if (found == metadata_.end()) fail("it does not say \"" + key + "\"");
  return found->second;
}

std::uint64_t FileNotes::whole(const std::string& key) const {
  const std::string& value = text(key);
  const std::optional<std::uint64_t> out = number_of_text<std::uint64_t>(value);
  if (!out) fail("\"" + key + "\" is not a whole number");
  return *out;
}

sparse::SparseOptions FileNotes::options() const {
  sparse::SparseOptions out;
  for (const OptionInfo& info : sparse::sparse_options()) {
    const std::string name(info.name);
    if (info.kind == OptionInfo::Kind::choice)
      sparse::set_sparse_option(out, name, text(name));
    else if (info.kind == OptionInfo::Kind::flag)
      sparse::set_sparse_option(out, name, text(name) == "yes");
    else
      sparse::set_sparse_option(out, name, whole(name));
  }
  return out;
}

double FileNotes::finite(double value) const {
  if (!std::isfinite(value)) fail("a number is not finite");
  return value;
}

std::vector<std::uint32_t> halves_of(std::span<const std::uint64_t> numbers) {
  std::vector<std::uint32_t> out;
  out.reserve(2 * numbers.size());
  for (const std::uint64_t number : numbers) {
    out.push_back(static_cast<std::uint32_t>(number));
    out.push_back(static_cast<std::uint32_t>(number >> 32));
  }
  return out;
}

std::uint64_t number_of(const std::uint32_t* halves) {
  return halves[0] | std::uint64_t{halves[1]} << 32;
}

}  // namespace postrider::internal::hashed

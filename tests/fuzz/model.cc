// The model loader: what it takes must predict, what it refuses must be refused by an Error.
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "data/safetensors.h"
#include "fuzz/entry.h"
#include "postrider/error.h"
#include "postrider/table_model.h"

namespace {

// A file in memory: one on a disk would be waited for.
class MemoryFile {
 public:
  MemoryFile() : file_(memfd_create("model", 0)) {}
  ~MemoryFile() { close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  bool write(const std::uint8_t* data, std::size_t size) {
    return ftruncate(file_, 0) == 0 && pwrite(file_, data, size, 0) == static_cast<ssize_t>(size);
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

// One row of which nothing is known.
postrider::Table unknown_row(const postrider::Schema& schema) {
  std::vector<postrider::Table::Column> columns(schema.columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (schema.columns[c].kind == postrider::ColumnSchema::Kind::numeric) columns[c].numbers = {0};
    if (schema.columns[c].kind == postrider::ColumnSchema::Kind::categorical)
      columns[c].codes = {postrider::Table::Column::kUnknown};
  }
  return {schema, std::move(columns)};
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  MemoryFile file;
  if (!file.write(data, size)) return 0;
  try {
    const postrider::internal::SafetensorsReader reader(file.path());
    const postrider::TableModel model = postrider::TableModel::load(file.path());
    model.predict(unknown_row(model.schema()));
  } catch (const postrider::Error&) {
  }
  return 0;
}

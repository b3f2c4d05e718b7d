// The record batches of an Arrow stream, one behind the other, as rows that can be looked at before
// they are taken.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/arrow_column.h"
#include "postrider/arrow.h"

namespace postrider::internal {

// A structure of the interface that is released once.
template <class Struct>
class ArrowOwned {
 public:
  ArrowOwned() = default;
  // Takes it over.
  explicit ArrowOwned(Struct& from) : value_(from) { from.release = nullptr; }
  ~ArrowOwned() {
    if (value_.release != nullptr) value_.release(&value_);
  }
  ArrowOwned(ArrowOwned&& other) noexcept : ArrowOwned(other.value_) {}
  ArrowOwned& operator=(ArrowOwned&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }

  Struct* get() { return &value_; }
  const Struct& operator*() const { return value_; }
  const Struct* operator->() const { return &value_; }

 private:
  Struct value_{};
};

struct ArrowField {
  std::string name;  // column_1, ... where it has none
  ArrowType type;
  bool used = false;  // else it is not looked at
};

struct ArrowBatch {
  ArrowOwned<ArrowArray> array;
  std::vector<std::optional<ArrowColumn>> columns;  // those that are used
  std::size_t rows = 0;
};

class ArrowBatches {
 public:
  // Takes the stream over. Throws Error if it is no stream of record batches.
  explicit ArrowBatches(ArrowArrayStream& stream);

  const std::vector<ArrowField>& fields() const { return fields_; }
  std::vector<std::string> names() const;
  // Before the first row. Throws InvalidArgument if the type of the column cannot be read.
  void use(std::size_t field);

  // Reads on until so many rows wait; returns how many do, fewer only at the end.
  std::size_t wait_for(std::size_t rows);
  // Calls see(batch, first row in it, how many, rows seen before) for waiting rows; they stay.
  template <class See>
  void look(std::size_t first, std::size_t count, const See& see) const {
    std::size_t seen = 0, skip = used_ + first;
    for (const ArrowBatch& batch : waiting_) {
      const std::size_t here = skip < batch.rows ? std::min(batch.rows - skip, count - seen) : 0;
      if (here > 0) see(batch, skip, here, seen);
      skip -= std::min(skip, batch.rows);
      seen += here;
      if (seen == count) return;
    }
  }
  void drop(std::size_t rows);

  std::uint64_t bytes_read() const { return bytes_; }  // of the columns that are used

 private:
  [[noreturn]] void fail(const std::string& why);
  void read_fields();
  bool read_batch();
  void open_columns(ArrowBatch& batch);

  ArrowOwned<ArrowArrayStream> stream_;
  std::vector<ArrowField> fields_;
  std::deque<ArrowBatch> waiting_;
  std::size_t used_ = 0;  // rows of the first batch
  std::size_t waiting_rows_ = 0;
  bool ended_ = false;
  std::uint64_t bytes_ = 0;
};

}  // namespace postrider::internal

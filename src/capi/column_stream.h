// Columns of C as an Arrow stream, which the readers of tables understand.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "postrider/arrow.h"
#include "postrider/c_api.h"

namespace postrider::internal {

// One batch of all rows. Numbers are not copied. It must outlive whoever reads the stream, which points into it, and is
// therefore not moved.
class ColumnStream {
 public:
  // Throws InvalidArgument if a pointer is missing.
  ColumnStream(std::span<const postrider_column> columns, std::size_t rows);
  ColumnStream(const ColumnStream&) = delete;
  ColumnStream& operator=(const ColumnStream&) = delete;

  ArrowArrayStream& stream() { return stream_; }

 private:
  // One column: what its structures point to.
  struct Part {
    std::vector<std::uint8_t> valid = {};  // of texts, a bit for each row
    std::vector<std::int64_t> ends = {};
    std::string text = {};
    std::array<const void*, 3> buffers = {};
    ArrowSchema schema = {};
    ArrowArray array = {};
  };

  void add_numbers(const postrider_column& column, Part& part) const;
  void add_texts(const postrider_column& column, Part& part) const;
  ArrowSchema whole_schema();
  ArrowArray whole_array();
  static int get_schema(ArrowArrayStream* stream, ArrowSchema* out);
  static int get_next(ArrowArrayStream* stream, ArrowArray* out);

  std::size_t rows_;
  bool is_read_ = false;
  std::vector<Part> parts_;
  std::vector<ArrowSchema*> schemas_;
  std::vector<ArrowArray*> arrays_;
  const void* no_bitmap_ = nullptr;
  ArrowArrayStream stream_{};
};

}  // namespace postrider::internal

#include "capi/column_stream.h"

#include <string_view>

#include "capi/c_guard.h"

namespace postrider::internal {
namespace {

// All memory is the ColumnStream's: releasing marks a structure, and those inside of it.
template <class Struct>
void release(Struct* each) {
  for (std::int64_t child = 0; child < each->n_children; ++child)
    if (Struct* const inner = each->children[child]; inner->release != nullptr)
      inner->release(inner);
  each->release = nullptr;
}

void set_valid(std::vector<std::uint8_t>& bits, std::size_t row) {
  bits[row / 8] = static_cast<std::uint8_t>(bits[row / 8] | 1u << row % 8);
}

}  // namespace

ColumnStream::ColumnStream(std::span<const postrider_column> columns, std::size_t rows)
    : rows_(rows), parts_(columns.size()) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const postrider_column& column = columns[c];
    Part& part = parts_[c];
    part.schema.name = expect(column.name, "name of a column");
    part.schema.flags = ARROW_FLAG_NULLABLE;
    part.schema.release = release<ArrowSchema>;
    part.array.length = static_cast<std::int64_t>(rows);
    part.array.release = release<ArrowArray>;
    if (column.numbers != nullptr)
      add_numbers(column, part);
    else
      add_texts(column, part);
    part.array.buffers = part.buffers.data();
    schemas_.push_back(&part.schema);
    arrays_.push_back(&part.array);
  }
  stream_.get_schema = get_schema;
  stream_.get_next = get_next;
  stream_.get_last_error = [](ArrowArrayStream*) -> const char* { return nullptr; };
  stream_.release = [](ArrowArrayStream* stream) { stream->release = nullptr; };
  stream_.private_data = this;
}

void ColumnStream::add_numbers(const postrider_column& column, Part& part) const {
  part.schema.format = "g";
  part.buffers[1] = column.numbers;
  part.array.n_buffers = 2;
}

void ColumnStream::add_texts(const postrider_column& column, Part& part) const {
  if (rows_ > 0 && column.texts == nullptr)
    throw InvalidArgument("column \"" + std::string(column.name) +
                          "\": must have numbers or texts; both are NULL");
  part.schema.format = "U";
  part.valid.resize(rows_ / 8 + 1);
  part.ends.resize(rows_ + 1);
  for (std::size_t row = 0; row < rows_; ++row) {
    if (column.texts[row] != nullptr) {
      set_valid(part.valid, row);
      part.text += column.texts[row];
    } else {
      ++part.array.null_count;
    }
    part.ends[row + 1] = static_cast<std::int64_t>(part.text.size());
  }
  part.buffers = {part.valid.data(), part.ends.data(), part.text.data()};
  part.array.n_buffers = 3;
}

ArrowSchema ColumnStream::whole_schema() {
  ArrowSchema out{};
  out.format = "+s";
  out.name = "";
  out.n_children = static_cast<std::int64_t>(schemas_.size());
  out.children = schemas_.data();
  out.release = release<ArrowSchema>;
  return out;
}

ArrowArray ColumnStream::whole_array() {
  ArrowArray out{};
  out.length = static_cast<std::int64_t>(rows_);
  out.n_buffers = 1;
  out.buffers = &no_bitmap_;
  out.n_children = static_cast<std::int64_t>(arrays_.size());
  out.children = arrays_.data();
  out.release = release<ArrowArray>;
  return out;
}

int ColumnStream::get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  *out = static_cast<ColumnStream*>(stream->private_data)->whole_schema();
  return 0;
}

// An array that is released already is the end.
int ColumnStream::get_next(ArrowArrayStream* stream, ArrowArray* out) {
  auto& self = *static_cast<ColumnStream*>(stream->private_data);
  *out = self.is_read_ || self.rows_ == 0 ? ArrowArray{} : self.whole_array();
  self.is_read_ = true;
  return 0;
}

}  // namespace postrider::internal

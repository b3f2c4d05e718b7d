#include "data/arrow_batches.h"

#include <cstring>
#include <limits>

#include "data/cell_columns.h"
#include "postrider/error.h"

namespace postrider::internal {
namespace {

constexpr std::int64_t kMostColumns = 1'000'000;  // a stream that says more is taken for damaged

bool has_missing_rows(const ArrowArray& batch) {
  if (batch.null_count == 0 || batch.buffers == nullptr || batch.buffers[0] == nullptr)
    return false;
  const auto* const valid = static_cast<const unsigned char*>(batch.buffers[0]);
  for (std::int64_t at = batch.offset; at < batch.offset + batch.length; ++at)
    if ((valid[at / 8] >> (at % 8) & 1) == 0) return true;
  return false;
}

}  // namespace

ArrowBatches::ArrowBatches(ArrowArrayStream& stream) : stream_(stream) {
  if (stream_->release == nullptr)
    throw InvalidArgument(
        "the Arrow stream was used before: a stream can be read once, so make a new one");
  read_fields();
}

void ArrowBatches::fail(const std::string& why) {
  throw Error("cannot read the Arrow stream: " + why);
}

void ArrowBatches::read_fields() {
  const auto said = [&](int code) {
    const char* const text = stream_->get_last_error(stream_.get());
    return text != nullptr ? std::string(text) : std::string(std::strerror(code));
  };
  ArrowOwned<ArrowSchema> schema;
  const int code = stream_->get_schema(stream_.get(), schema.get());
  if (code != 0) fail(said(code));
  if (schema->release == nullptr || schema->format == nullptr ||
      std::string_view(schema->format) != "+s")
    fail("it is no table: its batches must be structures with a column for each field");
  if (schema->n_children < 0 || schema->n_children > kMostColumns ||
      (schema->n_children > 0 && schema->children == nullptr))
    fail("it has " + std::to_string(schema->n_children) + " columns");
  for (std::int64_t c = 0; c < schema->n_children; ++c) {
    const ArrowSchema* const child = schema->children[c];
    if (child == nullptr) fail("column " + std::to_string(c + 1) + " is not there");
    const bool named = child->name != nullptr && *child->name != '\0';
    fields_.push_back(
        {named ? child->name : "column_" + std::to_string(c + 1), arrow_type(*child)});
  }
}

std::vector<std::string> ArrowBatches::names() const {
  std::vector<std::string> out;
  for (const ArrowField& field : fields_) out.push_back(field.name);
  return out;
}

void ArrowBatches::use(std::size_t field) {
  const ArrowType& type = fields_[field].type;
  if (!type.is_readable())
    throw InvalidArgument("column " + shown(fields_[field].name) + " is " + type.name + ": " +
                          kReadableTypes + "; convert it, or leave it out");
  fields_[field].used = true;
}

std::size_t ArrowBatches::wait_for(std::size_t rows) {
  while (waiting_rows_ < rows && read_batch()) {
  }
  return std::min(rows, waiting_rows_);
}

bool ArrowBatches::read_batch() {
  if (ended_) return false;
  ArrowBatch batch;
  const int code = stream_->get_next(stream_.get(), batch.array.get());
  if (code != 0) {
    ended_ = true;
    const char* const text = stream_->get_last_error(stream_.get());
    fail(text != nullptr ? text : std::strerror(code));
  }
  if (batch.array->release == nullptr) {
    ended_ = true;
    return false;
  }
  open_columns(batch);
  if (batch.rows == 0) return true;
  waiting_rows_ += batch.rows;
  waiting_.push_back(std::move(batch));
  return true;
}

void ArrowBatches::open_columns(ArrowBatch& batch) {
  const ArrowArray& array = *batch.array;
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 2;
  if (array.length < 0 || array.offset < 0 || array.length > kMost || array.offset > kMost)
    fail("the offset or length of a batch is out of range");
  if (array.n_children != static_cast<std::int64_t>(fields_.size()) ||
      (array.n_children > 0 && array.children == nullptr))
    fail("a batch has " + std::to_string(array.n_children) + " columns, and the schema " +
         std::to_string(fields_.size()));
  if (array.n_buffers > 0 && has_missing_rows(array))
    fail("rows of a batch are missing as a whole");
  batch.rows = static_cast<std::size_t>(array.length);
  for (std::size_t c = 0; c < fields_.size(); ++c) {
    batch.columns.emplace_back();
    if (!fields_[c].used) continue;
    if (array.children[c] == nullptr) fail("column " + shown(fields_[c].name) + " is not there");
    batch.columns[c].emplace(fields_[c].type, *array.children[c], array.offset, array.length,
                             fields_[c].name);
    bytes_ += batch.columns[c]->bytes();
  }
}

void ArrowBatches::drop(std::size_t rows) {
  used_ += rows;
  waiting_rows_ -= rows;
  while (!waiting_.empty() && used_ >= waiting_.front().rows) {
    used_ -= waiting_.front().rows;
    waiting_.pop_front();
  }
}

}  // namespace postrider::internal

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "data/arrow_batches.h"
#include "data/cell_columns.h"
#include "data/schema.h"
#include "postrider/arrow.h"
#include "postrider/error.h"

namespace postrider {
using namespace internal;

namespace internal {

namespace {

// Columns become rows in pieces of so many rows. Eight columns write the same lines of the cache,
// and those of one piece stay in it until the eighth has come.
constexpr std::size_t kPieceRows = 256;
constexpr std::size_t kNone = Schema::kNone;

bool is_numeric(const ArrowType& type) {
  return type.is_number() || (type.kind == ArrowKind::boolean && !type.is_dictionary);
}

}  // namespace

class ArrowBlockReaderState {
 public:
  ArrowBlockReaderState(ArrowArrayStream& stream, const ArrowBlockReader::Options& options)
      : batches_(stream), rows_(options.rows) {
    options.validate();
    if (!options.target.empty()) choose_target(find("target", options.target));
    if (options.inputs.empty()) {
      for (std::size_t c = 0; c < batches_.fields().size(); ++c)
        if (c != target_) choose_input(c);
    } else {
      for (const std::string& name : options.inputs) choose_input(find("inputs", name));
    }
    if (places_.empty())
      reject("inputs", places_.size(), "must be at least one column besides the target");
  }

  bool next(ArrowBlockReader::Block& block) {
    block.rows = batches_.wait_for(rows_);
    block.inputs.resize(block.rows * places_.size());
    block.targets.resize(target_ == kNone || target_is_text() ? 0 : block.rows);
    block.labels.resize(target_is_text() ? block.rows : 0);
    batches_.look(
        0, block.rows,
        [&](const ArrowBatch& batch, std::size_t first, std::size_t count, std::size_t before) {
          put_inputs(batch, first, count, block.inputs.data() + before * places_.size());
          if (target_is_text())
            put_labels(*batch.columns[target_], first, count, &block.labels[before]);
          else if (target_ != kNone)
            batch.columns[target_]->read_numbers(first, count, &block.targets[before], 1);
        });
    batches_.drop(block.rows);
    return block.rows > 0;
  }

  bool target_is_text() const {
    return target_ != kNone && batches_.fields()[target_].type.is_text();
  }
  bool target_is_whole() const {
    return target_ != kNone && batches_.fields()[target_].type.is_whole();
  }

  std::vector<std::string> names;
  std::vector<std::string> classes;

 private:
  std::size_t find(const char* field, const std::string& name) const {
    const std::vector<std::string> known = batches_.names();
    const auto found = std::ranges::find(known, name);
    if (found == known.end()) reject(field, name, "must be one of the columns: " + listed(known));
    return static_cast<std::size_t>(found - known.begin());
  }

  void choose_target(std::size_t column) {
    batches_.use(column);
    const ArrowField& field = batches_.fields()[column];
    if (field.type.is_date())
      throw InvalidArgument("column " + shown(field.name) + " is " + field.type.name +
                            ": a target must be numbers or classes");
    target_ = column;
  }

  void choose_input(std::size_t column) {
    const ArrowField& field = batches_.fields()[column];
    if (column == target_) reject("inputs", field.name, "is the target");
    batches_.use(column);
    if (!is_numeric(field.type))
      throw InvalidArgument("column " + shown(field.name) + " is " + field.type.name +
                            ": an input must be a number or a boolean; leave the column out, or "
                            "train a TableModel, which takes texts as categories");
    places_.push_back(column);
    names.push_back(field.name);
  }

  void put_inputs(const ArrowBatch& batch, std::size_t first, std::size_t count, double* to) const {
    const std::size_t width = places_.size();
    for (std::size_t row = 0; row < count; row += kPieceRows) {
      const std::size_t here = std::min(kPieceRows, count - row);
      for (std::size_t c = 0; c < width; ++c)
        batch.columns[places_[c]]->read_numbers(first + row, here, to + row * width + c, width);
    }
  }

  void put_labels(const ArrowColumn& column, std::size_t first, std::size_t count,
                  std::uint32_t* to) {
    for (std::size_t row = 0; row < count; ++row) {
      if (column.is_missing(first + row)) {
        to[row] = Table::Column::kMissing;
        continue;
      }
      const std::string text(column.text(first + row, room_));
      const auto [at, is_new] = known_.emplace(text, static_cast<std::uint32_t>(classes.size()));
      if (is_new) classes.push_back(text);
      to[row] = at->second;
    }
  }

  ArrowBatches batches_;
  std::size_t rows_;
  std::vector<std::size_t> places_;  // of the inputs among the columns
  std::size_t target_ = kNone;
  std::unordered_map<std::string, std::uint32_t> known_;
  std::string room_;
};

}  // namespace internal

void ArrowBlockReader::Options::validate() const {
  if (rows == 0) reject("rows", rows, "must be at least 1");
}

ArrowBlockReader::ArrowBlockReader(ArrowArrayStream& stream)
    : ArrowBlockReader(stream, Options{}) {}
ArrowBlockReader::ArrowBlockReader(ArrowArrayStream& stream, const Options& options)
    : state_(std::make_unique<ArrowBlockReaderState>(stream, options)) {}
ArrowBlockReader::~ArrowBlockReader() = default;
ArrowBlockReader::ArrowBlockReader(ArrowBlockReader&&) noexcept = default;
ArrowBlockReader& ArrowBlockReader::operator=(ArrowBlockReader&&) noexcept = default;

const std::vector<std::string>& ArrowBlockReader::inputs() const { return state_->names; }
bool ArrowBlockReader::target_is_text() const { return state_->target_is_text(); }
bool ArrowBlockReader::target_is_whole() const { return state_->target_is_whole(); }
const std::vector<std::string>& ArrowBlockReader::classes() const { return state_->classes; }
bool ArrowBlockReader::next(ArrowBlockReader::Block& block) { return state_->next(block); }

}  // namespace postrider

#include "data/libsvm.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <utility>

#include "data/cell.h"
#include "data/row_source.h"
#include "data/schema.h"
#include "postrider/error.h"

namespace postrider::internal {
namespace {

// Plain comparisons: words are short, and searching for a set of characters takes several times as long.
constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
constexpr std::string_view kQuery = "qid:";

// The next word, taken off the front; empty if there is none.
std::string_view take_word(std::string_view& text) {
  std::size_t begin = 0;
  while (begin < text.size() && is_blank(text[begin])) ++begin;
  std::size_t end = begin;
  while (end < text.size() && !is_blank(text[end])) ++end;
  const std::string_view word = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return word;
}

// 0 if it is no whole number that fits.
std::uint32_t index_of(std::string_view text) {
  std::uint32_t index = 0;
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), index);
  return trouble == std::errc() && end == text.data() + text.size() ? index : 0;
}

bool is_pair(std::string_view word) {
  const std::size_t colon = word.find(':');
  return colon != std::string_view::npos && index_of(word.substr(0, colon)) > 0 &&
         read_cell(word.substr(colon + 1)).kind == CellKind::number;
}

}  // namespace

LibsvmReader::LibsvmReader(std::unique_ptr<ByteSource> source, const std::string& name,
                           std::size_t most_index, std::size_t most_bytes_per_row,
                           TableReader::Skipped* skipped)
    : window_(std::move(source), name, most_bytes_per_row),
      most_index_(most_index),
      skipped_(skipped) {}

void LibsvmReader::read_pairs(std::string_view text, LibsvmText& to) {
  const std::size_t begin = to.indices.size();
  for (;;) {
    const std::string_view pair = take_word(text);
    if (pair.empty()) return;
    if (pair.starts_with(kQuery)) continue;
    const std::size_t colon = pair.find(':');
    if (colon == std::string_view::npos)
      window_.fail(line_, shown(pair) + " must be a pair index:value");
    const std::uint32_t index = index_of(pair.substr(0, colon));
    if (index == 0)
      window_.fail(line_, "the index of " + shown(pair) + " must be a whole number from 1");
    if (index > most_index_)
      window_.fail(line_, "the index of " + shown(pair) + " must be at most " +
                              std::to_string(most_index_) + ", the most columns that are read");
    if (to.indices.size() > begin && index <= to.indices.back())
      window_.fail(line_, "the index of " + shown(pair) + " must be above the one before it, " +
                              std::to_string(to.indices.back()));
    const Cell value = read_cell_in_place(pair.substr(colon + 1));
    if (value.kind == CellKind::text || value.kind == CellKind::infinite)
      window_.fail(line_, "the value of " + shown(pair) + " must be a finite number");
    to.indices.push_back(index);
    to.values.push_back(value.number);
  }
}

bool LibsvmReader::read_pairs_or_skip(std::string_view text, LibsvmText& to) {
  const std::size_t before = to.indices.size();
  try {
    read_pairs(text, to);
    return true;
  } catch (const CorruptFile& error) {
    if (skipped_ == nullptr) throw;
    skipped_->add(error.what());
  }
  to.indices.resize(before);
  to.values.resize(before);
  return false;
}

bool LibsvmReader::read(LibsvmText& to) {
  for (;;) {
    std::string_view text = window_.next_line(line_ + 1);
    if (text.empty()) return false;
    ++line_;
    text = text.substr(0, text.find('#'));
    std::string_view rest = text;
    const std::string_view label = take_word(rest);
    if (label.empty()) continue;
    const bool has_label = label.find(':') == std::string_view::npos;
    if (!read_pairs_or_skip(has_label ? rest : text, to)) continue;
    to.labels.add(has_label ? label : std::string_view());
    to.ends.push_back(to.indices.size());
    to.lines.push_back(line_);
    return true;
  }
}

bool looks_like_libsvm(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, length);
    line = line.substr(0, line.find('#'));
    text.remove_prefix(std::min(length + 1, text.size()));
    const std::string_view label = take_word(line);
    if (label.empty()) continue;
    if (is_pair(label)) return true;  // a row without a label
    const std::string_view pair = take_word(line);
    return read_cell(label).kind == CellKind::number && (is_pair(pair) || pair.starts_with(kQuery));
  }
  return false;
}

namespace {

constexpr const char* kLabel = "label";
constexpr std::size_t kBytesPerEntry = sizeof(double) + sizeof(std::uint32_t);

// The index of a column that is named by it; 0 if the name is not an index.
std::size_t index_named(const std::string& name) {
  std::size_t index = 0;
  const auto [end, trouble] = std::from_chars(name.data(), name.data() + name.size(), index);
  return trouble == std::errc() && end == name.data() + name.size() ? index : 0;
}

class LibsvmRows final : public RowSource {
 public:
  explicit LibsvmRows(RowRequest request)
      : name_(request.name),
        reader_(std::move(request.bytes), request.name, request.options.most_columns,
                request.options.most_bytes_per_row, request.options.skip_bad ? &skipped_ : nullptr),
        inferred_(request.schema == nullptr) {
    if (inferred_)
      infer(request.options);
    else
      schema_ = *request.schema;
    find_places();
    chunk_rows_ = chunk_rows(request.options, used_);
  }

  const Schema& schema() const override { return schema_; }
  ReadBytes bytes() const override { return read_bytes(reader_.window()); }

  std::size_t read(std::vector<Table::Column>& columns, std::vector<std::size_t>& lines) override {
    if (sample_used_ == sample_.rows()) {
      sample_ = {};
      sample_used_ = 0;
      while (sample_.rows() < chunk_rows_ && reader_.read(sample_)) {
      }
    }
    // The sample's rows are kept as they were written, and may be too many for one chunk.
    const std::size_t most = std::max(chunk_rows_, kSampleBytes / (sizeof(double) * (used_ + 1)));
    const std::size_t rows = std::min(sample_.rows() - sample_used_, most);
    hand_out(sample_used_, rows, columns);
    lines.assign(sample_.lines.begin() + static_cast<std::ptrdiff_t>(sample_used_),
                 sample_.lines.begin() + static_cast<std::ptrdiff_t>(sample_used_ + rows));
    sample_used_ += rows;
    return rows;
  }

 private:
  void infer(const TableOptions& given) {
    TableOptions options = given;
    if (options.target.empty()) options.target = kLabel;
    if (options.target != kLabel)
      reject("target", options.target, "must be \"label\", the target of LIBSVM text, or empty");
    for (const std::string& name : options.categorical)
      if (name != kLabel) reject("categorical", name, "is a number, as all inputs of LIBSVM text");
    while (sample_.rows() < options.sample_rows &&
           sample_.indices.size() * kBytesPerEntry + sample_.labels.bytes() < kSampleBytes)
      if (!reader_.read(sample_)) break;
    if (sample_.rows() == 0) throw CorruptFile("cannot read " + name_ + ": it has no rows");

    std::uint32_t greatest = 0;
    for (const std::uint32_t index : sample_.indices) greatest = std::max(greatest, index);
    std::vector<std::string> names{kLabel};
    for (std::uint32_t index = 1; index <= greatest; ++index)
      names.push_back(std::to_string(index));
    const SchemaRules rules(options, names);
    schema_.na = options.na;
    schema_.columns.push_back(
        rules.decide(kLabel, summary_of(sample_.labels, rules.question(kLabel))));
    const std::vector<ColumnSummary> seen = summaries(greatest);
    for (std::uint32_t index = 1; index <= greatest; ++index)
      schema_.columns.push_back(rules.decide(names[index], seen[index]));
    schema_.validate();
  }

  std::vector<ColumnSummary> summaries(std::uint32_t greatest) const {
    std::vector<ColumnSummary> out(greatest + 1);
    std::vector<std::size_t> written(greatest + 1);
    for (std::size_t k = 0; k < sample_.indices.size(); ++k) {
      ColumnSummary& seen = out[sample_.indices[k]];
      ++written[sample_.indices[k]];
      if (sample_.values[k] != sample_.values[k])
        ++seen.missing;
      else
        seen.add_number(sample_.values[k]);
    }
    for (std::uint32_t index = 1; index <= greatest; ++index) {
      out[index].rows = sample_.rows();
      if (written[index] < sample_.rows()) out[index].add_number(0);
    }
    return out;
  }

  void find_places() {
    for (std::size_t place = 0; place < schema_.columns.size(); ++place) {
      const ColumnSchema& column = schema_.columns[place];
      if (column.target) {
        label_ = cell_column(schema_, column, inferred_);
        label_place_ = place;
        continue;
      }
      if (column.kind == ColumnSchema::Kind::ignored) continue;
      ++used_;
      const std::size_t index = index_named(column.name);
      if (index == 0 || column.kind != ColumnSchema::Kind::numeric)
        throw CorruptFile("cannot use " + name_ + ": LIBSVM text has no column " +
                          shown(column.name) + ", which the model needs");
      places_.emplace(index, place);
    }
    for (const ColumnSchema& column : schema_.columns)
      greatest_known_ = std::max(greatest_known_, index_named(column.name));
  }

  void hand_out(std::size_t first, std::size_t rows, std::vector<Table::Column>& columns) {
    columns.resize(schema_.columns.size());
    for (const auto& [index, place] : places_) columns[place].numbers.assign(rows, 0);
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t k = sample_.begin_of(first + row); k < sample_.ends[first + row]; ++k) {
        const std::uint32_t index = sample_.indices[k];
        const auto found = places_.find(index);
        if (found != places_.end())
          columns[found->second].numbers[row] = sample_.values[k];
        else if (inferred_ && index > greatest_known_)
          reader_.window().fail(sample_.lines[first + row],
                                "the index " + std::to_string(index) +
                                    " is above all of the first rows; infer the schema from more");
      }
    if (label_place_ == Schema::kNone) return;
    label_.resize(rows);
    for (std::size_t row = 0; row < rows; ++row)
      put_cell(label_, row, sample_.labels[first + row], {name_, sample_.lines[first + row]});
    columns[label_place_] = label_.cells;
  }

  std::string name_;
  LibsvmReader reader_;
  bool inferred_;
  Schema schema_;
  std::unordered_map<std::size_t, std::size_t> places_;  // in the schema, by index
  std::size_t greatest_known_ = 0, used_ = 0, chunk_rows_ = 0;
  CellColumn label_;
  std::size_t label_place_ = Schema::kNone;
  LibsvmText sample_;  // or, later, the rows of a chunk
  std::size_t sample_used_ = 0;
};

}  // namespace

std::unique_ptr<RowSource> libsvm_rows(RowRequest request) {
  return std::make_unique<LibsvmRows>(std::move(request));
}

}  // namespace postrider::internal

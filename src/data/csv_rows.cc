#include <algorithm>
#include <unordered_map>
#include <utility>

#include "data/csv.h"
#include "data/row_source.h"
#include "data/schema.h"
#include "postrider/error.h"

namespace postrider::internal {
namespace {

class CsvRows final : public RowSource {
 public:
  explicit CsvRows(RowRequest request)
      : name_(request.name),
        reader_(
            std::move(request.bytes), request.name,
            {request.options.delimiter, request.options.header, request.options.most_columns,
             request.options.most_bytes_per_row, request.options.skip_bad ? &skipped_ : nullptr}),
        skips_bad_(request.options.skip_bad),
        columns_(reader_.header().size()) {
    chunk_rows_ = chunk_rows(request.options, columns_.size());
    if (request.schema == nullptr)
      infer(request.options);
    else
      adopt(*request.schema, request.options.may_lack_columns);
    keep_keys(request.options.keys);
  }

  const Schema& schema() const override { return schema_; }
  ReadBytes bytes() const override { return read_bytes(reader_.window()); }

  std::size_t read(std::vector<Table::Column>& columns, std::vector<std::size_t>& lines) override {
    if (!sample_.empty()) return hand_out_sample(columns, lines);
    exchange(columns);
    for (const std::size_t c : keys_) columns_[c].texts = {};
    std::size_t rows = 0;
    try {
      rows = reader_.read(columns_, chunk_rows_);
    } catch (...) {
      exchange(columns);
      throw;
    }
    exchange(columns);
    lines = reader_.row_lines();
    return rows;
  }

  std::vector<std::vector<std::string>> keys() const override {
    std::vector<std::vector<std::string>> out(keys_.size());  // those of the sample are there, too
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      const Texts& texts = columns_[keys_[k]].texts;
      for (std::size_t row = 0; row < texts.size(); ++row) out[k].emplace_back(texts[row]);
    }
    return out;
  }

 private:
  void keep_keys(const std::vector<std::string>& names) {
    const std::vector<std::string>& header = reader_.header();
    for (const std::string& name : names) {
      const auto found = std::find(header.begin(), header.end(), name);
      if (found == header.end())
        reject("key", name, "must be one of the columns: " + listed(header));
      const auto c = static_cast<std::size_t>(found - header.begin());
      columns_[c].is_key = true;
      // The fast way to read numbers does not see their text.
      if (columns_[c].use == CellUse::number) columns_[c].use = CellUse::written;
      keys_.push_back(c);
    }
  }

  void infer(const TableOptions& options) {
    const std::vector<std::string>& names = reader_.header();
    const SchemaRules rules(options, names);
    std::vector<CellColumn> sample(names.size());
    for (CellColumn& column : sample) column.use = CellUse::text;
    std::size_t bytes = 0;
    while (sample_lines_.size() < options.sample_rows && bytes < kSampleBytes) {
      const std::size_t wanted =
          std::min({kSampleStep, chunk_rows_, options.sample_rows - sample_lines_.size()});
      if (reader_.read(sample, wanted, sample_lines_.size()) == 0) break;
      const std::vector<std::size_t>& lines = reader_.row_lines();
      sample_lines_.insert(sample_lines_.end(), lines.begin(), lines.end());
      bytes = 0;
      for (const CellColumn& column : sample) bytes += column.texts.bytes();
    }
    if (sample_lines_.empty()) throw CorruptFile("cannot read " + name_ + ": it has no rows");
    schema_.na = options.na;
    const std::vector<bool> copies = copies_in(sample, rules);
    for (std::size_t c = 0; c < names.size(); ++c) {
      ColumnSummary seen = summary_of(sample[c].texts, rules.question(names[c]), copies);
      if (seen.texts > 0) seen.place = "line " + std::to_string(sample_lines_[seen.first_text_row]);
      schema_.columns.push_back(rules.decide(names[c], seen));
      columns_[c] = cell_column(schema_, schema_.columns[c], true);
      places_.push_back(c);
      sample_.push_back(std::move(sample[c].texts));
    }
    schema_.validate();
  }

  std::vector<bool> copies_in(const std::vector<CellColumn>& sample,
                              const SchemaRules& rules) const {
    WrittenCopies out;
    for (std::size_t c = 0; c < sample.size(); ++c)
      if (!rules.ignores(reader_.header()[c]))
        for (std::size_t row = 0; row < sample_lines_.size(); ++row)
          out.add(row, sample[c].texts[row]);
    return out.found();
  }

  void adopt(const Schema& schema, bool may_lack_columns) {
    schema_ = schema;
    places_.assign(columns_.size(), Schema::kNone);
    std::unordered_map<std::string_view, std::size_t> by_name;
    for (std::size_t c = 0; c < columns_.size(); ++c) by_name.emplace(reader_.header()[c], c);
    for (std::size_t place = 0; place < schema.columns.size(); ++place) {
      const ColumnSchema& column = schema.columns[place];
      if (column.kind == ColumnSchema::Kind::ignored) continue;
      const auto found = by_name.find(column.name);
      if (found != by_name.end()) {
        columns_[found->second] = cell_column(schema_, column, false);
        places_[found->second] = place;
      } else if (!column.target) {
        absent_.push_back(place);
      }
    }
    if (const std::string why = trouble_with_absent(name_, may_lack_columns); !why.empty())
      throw CorruptFile(why);
  }

  std::size_t hand_out_sample(std::vector<Table::Column>& columns,
                              std::vector<std::size_t>& lines) {
    if (skips_bad_) leave_out_bad();
    const std::size_t rows = sample_lines_.size();
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      columns_[c].resize(rows);
      for (std::size_t row = 0; row < rows; ++row)
        put_cell(columns_[c], row, sample_[c][row], {name_, sample_lines_[row]});
      sample_[c] = {};
    }
    sample_.clear();
    exchange(columns);
    lines = std::exchange(sample_lines_, {});
    return rows;
  }

  // Rows of the sample that do not fit what was inferred of all, or said of a column.
  void leave_out_bad() {
    std::vector<std::size_t> good;
    for (CellColumn& column : columns_) column.resize(1);
    for (std::size_t row = 0; row < sample_lines_.size(); ++row) try {
        for (std::size_t c = 0; c < columns_.size(); ++c)
          put_cell(columns_[c], 0, sample_[c][row], {name_, sample_lines_[row]});
        good.push_back(row);
      } catch (const CorruptFile& error) {
        skipped_.add(error.what());
      }
    if (good.size() == sample_lines_.size()) return;
    if (good.empty()) throw CorruptFile("cannot read " + name_ + ": no row can be read");
    std::vector<std::size_t> lines;
    for (const std::size_t row : good) lines.push_back(sample_lines_[row]);
    for (Texts& texts : sample_) {
      Texts kept;
      for (const std::size_t row : good) kept.add(texts[row]);
      texts = std::move(kept);
    }
    sample_lines_ = std::move(lines);
  }

  // Memory goes back and forth: chunks of one size take none anew.
  void exchange(std::vector<Table::Column>& columns) {
    columns.resize(schema_.columns.size());
    for (std::size_t c = 0; c < columns_.size(); ++c)
      if (places_[c] != Schema::kNone) std::swap(columns_[c].cells, columns[places_[c]]);
  }

  std::string name_;
  CsvReader reader_;
  bool skips_bad_;
  Schema schema_;
  std::size_t chunk_rows_ = 0;
  std::vector<CellColumn> columns_;  // of the file
  std::vector<std::size_t> places_;  // of the file's columns in the schema
  std::vector<std::size_t> keys_;    // of them, those whose texts are kept
  std::vector<Texts> sample_;        // until it is handed out
  std::vector<std::size_t> sample_lines_;
};

}  // namespace

std::unique_ptr<RowSource> csv_rows(RowRequest request) {
  return std::make_unique<CsvRows>(std::move(request));
}

}  // namespace postrider::internal

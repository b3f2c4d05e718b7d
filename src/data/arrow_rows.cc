#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "data/arrow_batches.h"
#include "data/cell.h"
#include "data/date.h"
#include "data/row_source.h"
#include "data/schema.h"
#include "postrider/error.h"

namespace postrider::internal {
namespace {

// A part of a column of one batch.
struct Piece {
  const ArrowColumn& cells;
  std::size_t first, count;
};

// What the first rows show of one column.
class ColumnSample {
 public:
  ColumnSample(const ArrowType& type, ColumnQuestion question)
      : is_dictionary_(type.is_dictionary),
        as_text_(type.is_text() || question.with_categories),
        question_(std::move(question)) {
    if (type.is_date()) seen_.form = ColumnSchema::Form::year_first;
    // Whoever makes a dictionary of numbers means categories.
    question_.with_categories = question_.with_categories || is_dictionary_;
  }

  void add(const Piece& piece, WrittenCopies& rows) {
    if (as_text_)
      add_texts(piece, rows);
    else
      add_numbers(piece, rows);
  }
  std::size_t bytes() const { return as_text_ ? texts_.bytes() : seen_.rows * sizeof(double); }

  ColumnSummary summary(const std::vector<bool>& copies) const {
    if (!as_text_) {
      ColumnSummary out = seen_;
      if (question_.is_target) out.name_few_numbers();
      return out;
    }
    ColumnSummary out = summary_of(texts_, question_, copies);
    if (out.texts > 0) out.place = "row " + std::to_string(out.first_text_row + 1);
    if (is_dictionary_ && out.numbers > 0) {
      out.texts += std::exchange(out.numbers, 0);
      if (out.first_text.empty()) out.first_text = out.categories.front();
    }
    return out;
  }

 private:
  void add_texts(const Piece& piece, WrittenCopies& rows) {
    for (std::size_t row = piece.first; row < piece.first + piece.count; ++row) {
      texts_.add(piece.cells.is_missing(row) ? "" : piece.cells.text(row, room_));
      rows.add(texts_.size() - 1, texts_[texts_.size() - 1]);
    }
  }

  void add_numbers(const Piece& piece, WrittenCopies& rows) {
    numbers_.resize(piece.count);
    piece.cells.read_numbers(piece.first, piece.count, numbers_.data(), 1);
    for (std::size_t k = 0; k < piece.count; ++k) rows.add(seen_.rows + k, numbers_[k]);
    seen_.rows += piece.count;
    for (const double number : numbers_) {
      const bool is_date = is_date_form(seen_.form);
      if (std::isnan(number) || (!is_date && question_.markers.has_number(number)))
        ++seen_.missing;
      else if (is_date)
        seen_.add_date(is_in_calendar(number) ? number : 0);  // reading it will say what is wrong
      else
        seen_.add_number(std::isinf(number) ? 0 : number);
    }
  }

  bool is_dictionary_, as_text_;
  ColumnQuestion question_;
  ColumnSummary seen_;
  Texts texts_;
  std::vector<double> numbers_;
  std::string room_;
};

class ArrowRows final : public RowSource {
 public:
  ArrowRows(ArrowBatches batches, const TableOptions& options, const Schema* schema)
      : batches_(std::move(batches)), columns_(batches_.fields().size()) {
    chunk_rows_ = chunk_rows(options, columns_.size());
    keep_keys(options.keys);  // before the first row
    if (schema == nullptr)
      infer(options);
    else
      adopt(*schema, options.may_lack_columns);
  }

  const Schema& schema() const override { return schema_; }
  ReadBytes bytes() const override { return {batches_.bytes_read(), batches_.bytes_read(), 0}; }

  std::size_t read(std::vector<Table::Column>& columns, std::vector<std::size_t>& lines) override {
    lines.clear();
    const std::size_t sampled = std::exchange(sample_rows_, 0);
    const std::size_t rows = batches_.wait_for(sampled > 0 ? sampled : chunk_rows_);
    columns.resize(schema_.columns.size());
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (columns_[c].use == CellUse::skip) continue;
      std::swap(columns_[c].cells, columns[places_[c]]);
      columns_[c].resize(rows);
      batches_.look(
          0, rows,
          [&](const ArrowBatch& batch, std::size_t first, std::size_t count, std::size_t before) {
            put(c, {*batch.columns[c], first, count}, before);
          });
      std::swap(columns_[c].cells, columns[places_[c]]);
    }
    read_keys(rows);
    batches_.drop(rows);
    rows_ += rows;
    return rows;
  }

  std::vector<std::vector<std::string>> keys() const override { return key_texts_; }

 private:
  void keep_keys(const std::vector<std::string>& names) {
    const std::vector<std::string> fields = batches_.names();
    for (const std::string& name : names) {
      const auto found = std::find(fields.begin(), fields.end(), name);
      if (found == fields.end())
        reject("key", name, "must be one of the columns: " + listed(fields));
      keys_.push_back(static_cast<std::size_t>(found - fields.begin()));
      batches_.use(keys_.back());
    }
  }

  void read_keys(std::size_t rows) {
    key_texts_.assign(keys_.size(), {});
    for (std::size_t k = 0; k < keys_.size(); ++k)
      batches_.look(
          0, rows, [&](const ArrowBatch& batch, std::size_t first, std::size_t count, std::size_t) {
            const ArrowColumn& cells = *batch.columns[keys_[k]];
            for (std::size_t row = first; row < first + count; ++row)
              key_texts_[k].emplace_back(cells.is_missing(row) ? std::string_view()
                                                               : cells.text(row, room_));
          });
  }

  void infer(const TableOptions& options) {
    const std::vector<std::string> names = batches_.names();
    const SchemaRules rules(options, names);
    std::vector<ColumnSample> samples;
    for (std::size_t c = 0; c < names.size(); ++c) {
      samples.emplace_back(batches_.fields()[c].type, rules.question(names[c]));
      if (!rules.ignores(names[c])) batches_.use(c);
    }
    const std::vector<bool> copies = look_at_first_rows(options, samples);
    schema_.na = options.na;
    for (std::size_t c = 0; c < names.size(); ++c) {
      schema_.columns.push_back(rules.decide(names[c], samples[c].summary(copies)));
      columns_[c] = cell_column(schema_, schema_.columns[c], true);
      places_.push_back(c);
    }
    schema_.validate();
  }

  // Which of them are copies of others.
  std::vector<bool> look_at_first_rows(const TableOptions& options,
                                       std::vector<ColumnSample>& samples) {
    WrittenCopies rows;
    for (std::size_t bytes = 0; sample_rows_ < options.sample_rows && bytes < kSampleBytes;) {
      const std::size_t wanted = std::min(kSampleStep, options.sample_rows - sample_rows_);
      const std::size_t count = batches_.wait_for(sample_rows_ + wanted) - sample_rows_;
      if (count == 0) break;
      bytes = 0;
      for (std::size_t c = 0; c < samples.size(); ++c) {
        if (batches_.fields()[c].used)
          batches_.look(
              sample_rows_, count,
              [&](const ArrowBatch& batch, std::size_t first, std::size_t here, std::size_t) {
                samples[c].add({*batch.columns[c], first, here}, rows);
              });
        bytes += samples[c].bytes();
      }
      sample_rows_ += count;
    }
    if (sample_rows_ == 0) throw CorruptFile("cannot read " + name_ + ": it has no rows");
    return rows.found();
  }

  void adopt(const Schema& schema, bool may_lack_columns) {
    schema_ = schema;
    places_.assign(columns_.size(), Schema::kNone);
    std::unordered_map<std::string_view, std::size_t> by_name;
    for (std::size_t c = 0; c < columns_.size(); ++c) by_name.emplace(batches_.fields()[c].name, c);
    for (std::size_t place = 0; place < schema.columns.size(); ++place) {
      const ColumnSchema& column = schema.columns[place];
      if (column.kind == ColumnSchema::Kind::ignored) continue;
      const auto found = by_name.find(column.name);
      if (found != by_name.end()) {
        batches_.use(found->second);
        columns_[found->second] = cell_column(schema_, column, false);
        places_[found->second] = place;
      } else if (!column.target) {
        absent_.push_back(place);
      }
    }
    if (const std::string why = trouble_with_absent(name_, may_lack_columns); !why.empty())
      throw InvalidArgument(why);
  }

  // The cells of a piece, from this row of the chunk on.
  void put(std::size_t c, const Piece& piece, std::size_t to) {
    const ArrowType& type = batches_.fields()[c].type;
    const CellUse use = columns_[c].use;
    const bool as_number = use == CellUse::number || use == CellUse::written;
    if (use == CellUse::date && type.is_date())
      put_dates(columns_[c], piece, to);
    else if (as_number && (type.is_number() || type.kind == ArrowKind::boolean) &&
             !type.is_dictionary)
      put_numbers(columns_[c], piece, to);
    else if (use == CellUse::code && type.is_dictionary)
      put_indices(columns_[c], piece, to);
    else
      put_texts(columns_[c], piece, to);
  }

  void put_numbers(CellColumn& column, const Piece& piece, std::size_t to) {
    double* const out = column.cells.numbers.data() + to;
    piece.cells.read_numbers(piece.first, piece.count, out, 1);
    for (std::size_t row = 0; row < piece.count; ++row) {
      if (std::isinf(out[row])) put_cell(column, to + row, "inf", place(to + row));
      if (column.markers.has_number(out[row])) out[row] = kMissingNumber;
    }
  }

  void put_dates(CellColumn& column, const Piece& piece, std::size_t to) {
    double* const seconds = column.cells.numbers.data() + to;
    piece.cells.read_numbers(piece.first, piece.count, seconds, 1);
    for (std::size_t row = 0; row < piece.count; ++row)
      if (!std::isnan(seconds[row]) && !is_in_calendar(seconds[row]))
        put_cell(column, to + row, piece.cells.text(piece.first + row, room_), place(to + row));
  }

  void put_texts(CellColumn& column, const Piece& piece, std::size_t to) {
    for (std::size_t row = 0; row < piece.count; ++row) {
      const std::size_t from = piece.first + row;
      // A number is read with the byte behind it, which only a copy surely has.
      cell_.assign(piece.cells.is_missing(from) ? "" : piece.cells.text(from, room_));
      put_cell(column, to + row, cell_, place(to + row));
    }
  }

  // Each text of a dictionary is looked up once.
  void put_indices(CellColumn& column, const Piece& piece, std::size_t to) {
    constexpr std::uint32_t kNotYet = 0xfffffffd;
    codes_.assign(piece.cells.values().rows(), kNotYet);
    for (std::size_t row = 0; row < piece.count; ++row) {
      const std::size_t from = piece.first + row;
      std::uint32_t& code = column.cells.codes[to + row];
      if (piece.cells.is_missing(from)) {
        code = Table::Column::kMissing;
        continue;
      }
      std::uint32_t& known = codes_[piece.cells.index(from)];
      if (known == kNotYet) {
        put_cell(column, to + row, piece.cells.text(from, room_), place(to + row));
        known = code;
      }
      code = known;
    }
  }

  CellPlace place(std::size_t row) const { return {name_, rows_ + row + 1, "row"}; }

  const std::string name_ = "the Arrow stream";
  ArrowBatches batches_;
  Schema schema_;
  std::size_t chunk_rows_ = 0, rows_ = 0;
  std::size_t sample_rows_ = 0;      // until they are handed out
  std::vector<CellColumn> columns_;  // of the stream
  std::vector<std::size_t> places_;  // of the stream's columns in the schema
  std::vector<std::uint32_t> codes_;
  std::vector<std::size_t> keys_;  // of the stream's columns, those whose texts are kept
  std::vector<std::vector<std::string>> key_texts_;
  std::string room_, cell_;
};

}  // namespace

std::unique_ptr<RowSource> arrow_rows(ArrowBatches batches, const TableOptions& options,
                                      const Schema* schema) {
  return std::make_unique<ArrowRows>(std::move(batches), options, schema);
}

}  // namespace postrider::internal

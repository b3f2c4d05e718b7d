#include "io/json_rows.h"

#include <cstdint>
#include <nlohmann/json.hpp>

#include "postrider/error.h"
#include "text/model_facts.h"

namespace postrider::cli {
namespace {

using ReadJson = nlohmann::json;

constexpr std::size_t kDeepest = 4;             // {"rows": [{"column": value}]} has three levels
constexpr std::size_t kMostOtherKeys = 10'000;  // of a row, beside those that the model knows
constexpr const char* kObject = "must be a JSON object: {\"column\": value, ...}";

// Which bodies are taken: for a stream one object, for a request also lists, whose rows must have something to do with
// the model.
struct Accepted {
  bool lists = false;
  std::size_t most_rows = 1;
};

// The column whose value is the row's key, and where that goes.
struct KeyCell {
  std::string_view column = {};
  std::string* to = nullptr;
};

// A row without any of the model's columns is one of another table.
[[noreturn]] void refuse_foreign_row(const Schema& schema) {
  throw CorruptFile("has none of the columns that the model knows: " + inputs_text(schema));
}

// Puts cells down as the parser meets them: time and memory are in proportion to the text, and what is too much ends the
// reading where it stands. Names and results of the functions below are nlohmann's; true means to go on.
class RowReader {
 public:
  RowReader(const Schema& schema, const ColumnPlaces& places, Table::Builder& to,
            const Accepted& accepted, KeyCell key = {}, std::vector<bool>* is_named = nullptr)
      : schema_(schema),
        places_(places),
        to_(to),
        accepted_(accepted),
        key_(key),
        is_named_(is_named) {}

  bool null() { return cell(std::string_view()); }
  bool boolean(bool value) {
    const std::string_view text = value ? "true" : "false";
    keep_key(text);
    return cell(text);
  }
  // A number of many digits is a key, too: as a double it would be another one.
  bool number_integer(std::int64_t value) {
    if (is_key_) keep_key(std::to_string(value));
    return cell(static_cast<double>(value));
  }
  bool number_unsigned(std::uint64_t value) {
    if (is_key_) keep_key(std::to_string(value));
    return cell(static_cast<double>(value));
  }
  bool number_float(double value, const std::string& text) {
    keep_key(text);
    return cell(value);
  }
  bool string(std::string& value) {
    keep_key(value);
    return cell(std::string_view(value));
  }
  bool binary(ReadJson::binary_t&) { return false; }  // JSON has none

  bool start_object(std::size_t) {
    if (is_row_expected()) {
      if (row_depth_ > 1 || is_list_) expect_room();
      is_in_row_ = true;
      named_ = keys_ = 0;
      row_depth_ = depth_ + 1;
    } else if (is_at_cell()) {
      refuse_cell();
    }
    return deeper();
  }

  bool key(std::string& name) {
    if (!is_in_row_ || depth_ != row_depth_) return true;
    if (++keys_ > schema_.columns.size() + kMostOtherKeys)
      refuse("has more than " + std::to_string(schema_.columns.size() + kMostOtherKeys) + " keys");
    name_ = name;
    is_key_ = key_.to != nullptr && name == key_.column;
    const auto found = places_.find(name);
    column_ = found == places_.end() ? Schema::kNone : found->second;
    if (is_named_ != nullptr && column_ != Schema::kNone) (*is_named_)[column_] = true;
    return true;
  }

  bool end_object() {
    --depth_;
    if (is_in_row_ && depth_ + 1 == row_depth_) end_row();
    return true;
  }

  bool start_array(std::size_t) {
    if (accepted_.lists && depth_ == 0) {
      is_list_ = true;
      list_depth_ = 1;
    } else if (accepted_.lists && !is_list_ && is_in_row_ && depth_ == 1 && name_ == "rows") {
      to_.drop_row();  // what stood beside the rows is none
      is_list_ = true;
      is_in_row_ = false;
      list_depth_ = 2;
    } else if (depth_ == 0 || is_row_expected()) {
      refuse(kObject);
    } else if (is_at_cell()) {
      refuse_cell();
    }
    return deeper();
  }

  bool end_array() {
    --depth_;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const ReadJson::exception& error) {
    constexpr int kTooLarge = 406;
    if (error.id == kTooLarge)
      throw CorruptFile("a number of its JSON is too large: must be below 1.8e308");
    throw CorruptFile(std::string(kObject) + "; it is not JSON from byte " +
                      std::to_string(position) + " on");
  }

 private:
  bool is_row_expected() const { return is_list_ ? depth_ == list_depth_ : depth_ == 0; }
  bool is_at_cell() const { return is_in_row_ && depth_ == row_depth_ && column_ != Schema::kNone; }

  bool deeper() {
    if (++depth_ > kDeepest) throw CorruptFile("its JSON is nested too deeply");
    return true;
  }

  void keep_key(std::string_view text) {
    if (is_key_ && is_in_row_ && depth_ == row_depth_) *key_.to = text;
  }

  template <class Value>
  bool cell(const Value& value) {
    if (is_row_expected()) refuse(kObject);
    if (!is_at_cell()) return true;
    if (is_input(schema_.columns[column_])) ++named_;
    try {
      to_.set(column_, value);
    } catch (const Table::Unreadable& error) {
      refuse(error.reason());  // see set() below
    }
    return true;
  }

  void end_row() {
    is_in_row_ = false;
    try {
      if (accepted_.lists && named_ == 0) refuse_foreign_row(schema_);
      if (accepted_.lists) to_.end_row();
    } catch (const CorruptFile& error) {
      refuse(error.what());
    }
    ++rows_;
  }

  void expect_room() const {
    if (rows_ >= accepted_.most_rows)
      throw CorruptFile("has more than " + std::to_string(accepted_.most_rows) + " rows; at most " +
                        std::to_string(accepted_.most_rows) + " are accepted");
  }

  [[noreturn]] void refuse_cell() const {
    refuse("column \"" + name_ + "\": must be a number, a text, true, false or null");
  }

  // With the row's number, where there may be several.
  [[noreturn]] void refuse(const std::string& why) const {
    throw CorruptFile((is_list_ ? "row " + std::to_string(rows_ + 1) + ": " : "") + why);
  }

  const Schema& schema_;
  const ColumnPlaces& places_;
  Table::Builder& to_;
  Accepted accepted_;
  KeyCell key_;
  std::vector<bool>* is_named_;
  std::size_t depth_ = 0, row_depth_ = 0, list_depth_ = 0;
  std::size_t rows_ = 0, keys_ = 0, named_ = 0, column_ = Schema::kNone;
  std::string name_;
  bool is_list_ = false, is_in_row_ = false, is_key_ = false;
};

void read(const std::string& text, RowReader reader) {
  // Everything that is wrong is thrown by the reader itself.
  ReadJson::sax_parse(text, &reader);
}

}  // namespace

JsonRows::JsonRows(const Schema& schema, std::string key_column)
    : schema_(schema), key_column_(std::move(key_column)), builder_(schema) {
  for (std::size_t c = 0; c < schema_.columns.size(); ++c)
    places_.emplace(schema_.columns[c].name, c);
}

void JsonRows::set(std::string_view column, std::string_view text) {
  if (!key_column_.empty() && column == key_column_) begun_key_ = text;
  const auto place = places_.find(std::string(column));
  if (place == places_.end()) return;
  try {
    builder_.set(place->second, text);
  } catch (const Table::Unreadable& error) {
    // The builder counts the rows that it holds, which may be those of several bodies or of a batch of events. Whoever sent a
    // row counts otherwise, and is told the number by others.
    throw CorruptFile(error.reason());
  }
}

void JsonRows::add(const std::string& object) {
  try {
    const KeyCell key{key_column_, key_column_.empty() ? nullptr : &begun_key_};
    read(object, RowReader(schema_, places_, builder_, {}, key));
  } catch (...) {
    drop_row();
    throw;
  }
  end_row();  // only once the whole text is known to be JSON
}

std::size_t JsonRows::add_all(const std::string& text, std::size_t most) {
  const std::size_t before = builder_.rows();
  try {
    is_named_.assign(schema_.columns.size(), false);
    read(text, RowReader(schema_, places_, builder_, {true, most}, {}, &is_named_));
  } catch (...) {
    builder_.drop_row();
    static_cast<void>(builder_.finish());
    throw;
  }
  return builder_.rows() - before;
}

std::vector<std::string> JsonRows::absent() const {
  std::vector<std::string> out;
  for (std::size_t c = 0; c < is_named_.size(); ++c)
    if (!is_named_[c] && is_input(schema_.columns[c])) out.push_back(schema_.columns[c].name);
  return out;
}

}  // namespace postrider::cli

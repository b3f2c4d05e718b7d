#include "encoded.h"

#include <algorithm>

#include "common/text_table.h"
#include "postrider/error.h"

namespace postrider::experiments {
namespace {

struct Column {
  std::vector<std::string> levels;  // none: a number
};

std::vector<Column> read_columns(const std::string& path) {
  std::vector<Column> out;
  for (const std::string& line : read_lines(path)) {
    const std::vector<std::string> fields = fields_of(line);
    Column column;
    if (fields.at(1) == "categorical") {
      column.levels.emplace_back();
      for (const char c : fields.at(2))
        if (c == '|')
          column.levels.emplace_back();
        else
          column.levels.back() += c;
    }
    out.push_back(column);
  }
  return out;
}

void encode(const Column& column, const std::string& field, std::vector<double>& out) {
  if (column.levels.empty()) {
    out.push_back(number_of(field, "a numeric column"));
    return;
  }
  const auto found = std::ranges::find(column.levels, field);
  if (found == column.levels.end()) reject("level", field, "must be listed in columns.csv");
  for (auto level = column.levels.begin(); level != column.levels.end(); ++level)
    out.push_back(level == found ? 1 : 0);
}

}  // namespace

LabelledRows EncodedSet::rows(std::size_t fold, bool testing) const {
  const std::vector<bool> is_test = membership(folds.at(fold), all.labels.size());
  LabelledRows out;
  for (std::size_t row = 0; row < all.labels.size(); ++row) {
    if (is_test[row] != testing) continue;
    const auto first = all.inputs.begin() + static_cast<std::ptrdiff_t>(row * columns);
    out.inputs.insert(out.inputs.end(), first, first + static_cast<std::ptrdiff_t>(columns));
    out.labels.push_back(all.labels[row]);
  }
  return out;
}

EncodedSet read_tabular_set(const std::string& data, const std::string& name) {
  const std::string folder = "tabular/" + name + "/";
  const std::vector<Column> columns = read_columns(existing(data, folder + "columns.csv"));
  EncodedSet out;
  out.name = name;
  for (const std::string& line : read_lines(existing(data, folder + "data.csv"))) {
    const std::vector<std::string> fields = fields_of(line);
    if (fields.size() != columns.size() + 1)
      reject(name, fields.size(), "must have a field for each column and the class");
    for (std::size_t k = 0; k < columns.size(); ++k) encode(columns[k], fields[k], out.all.inputs);
    out.all.labels.push_back(static_cast<std::size_t>(number_of(fields.back(), "the class")));
  }
  out.columns = out.all.inputs.size() / out.all.labels.size();
  out.classes = 1 + *std::ranges::max_element(out.all.labels);
  out.folds = read_splits(existing(data, folder + "splits.csv"));
  return out;
}

std::vector<std::string> tabular_names() {
  return {"adult", "spambase", "letter", "german-credit", "covertype-15k"};
}

}  // namespace postrider::experiments

#include "explain/asked_rows.h"

#include <algorithm>

#include "explain/learned_rows.h"
#include "postrider/error.h"

namespace postrider::internal {

std::vector<std::vector<std::size_t>> sound_groups(
    const std::vector<std::vector<std::size_t>>& given, std::size_t inputs) {
  for (const std::vector<std::size_t>& group : given)
    for (const std::size_t input : group)
      if (input >= inputs) reject("groups", input, "must be an input of the model");
  if (!given.empty()) return given;
  std::vector<std::vector<std::size_t>> out;
  for (std::size_t k = 0; k < inputs; ++k) out.push_back({k});
  return out;
}

Table some_rows(const TableModel& model, const Table& rows, std::size_t most) {
  if (rows.rows() == 0) {
    Table kept = learned_rows(model, most);
    if (kept.rows() == 0)
      reject("rows", 0, "must be at least one: the model keeps none of those that it has learned");
    return kept;
  }
  const std::size_t step = (rows.rows() + most - 1) / most;
  std::vector<std::size_t> chosen;
  for (std::size_t row = 0; row < rows.rows(); row += step) chosen.push_back(row);
  Table out = rows.selected(chosen);
  const std::vector<TableModel::UnusableRow> unusable = model.unusable(out);
  if (!unusable.empty())
    reject("row", chosen[unusable.front().row] + 1,
           "cannot be predicted: " + unusable.front().text());
  return out;
}

Quantity quantity_of(const TableModel& model, const std::string& class_name, const Table& rows) {
  if (!model.classifies()) {
    if (!class_name.empty())
      reject("class_name", class_name,
             "must be empty: the target " + model.target() + " is a number");
    return {0, "predicted " + model.target()};
  }
  const std::vector<std::string>& classes = model.classes();
  std::size_t place = classes.size() == 2 ? 1 : 0;
  if (!class_name.empty()) {
    place = static_cast<std::size_t>(std::ranges::find(classes, class_name) - classes.begin());
    if (place == classes.size()) reject("class_name", class_name, "must be a class of the target");
  } else if (classes.size() > 2) {
    std::vector<double> sums(classes.size());
    const std::vector<double> said = model.predict(rows).probabilities;
    for (std::size_t i = 0; i < said.size(); ++i) sums[i % sums.size()] += said[i];
    place = static_cast<std::size_t>(std::ranges::max_element(sums) - sums.begin());
  }
  return {place, "probability of " + classes[place]};
}

Outcomes outcomes_of(const TableModel& model, const std::vector<double>& inputs) {
  const std::size_t columns = model.features().size();
  const Inputs rows(inputs, inputs.size() / columns, columns);
  return model.classifies() ? outcomes_of(*model.classifier(), rows)
                            : outcomes_of(*model.regressor(), rows);
}

}  // namespace postrider::internal

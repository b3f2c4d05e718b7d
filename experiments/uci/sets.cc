#include "sets.h"

namespace postrider::experiments {

Rows UciSet::rows(std::size_t split, bool testing) const {
  const std::vector<bool> is_test = membership(splits.at(split), table.rows());
  Rows out;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (is_test[row] != testing) continue;
    const auto first = table.values.begin() + static_cast<std::ptrdiff_t>(row * table.columns);
    const auto target = first + static_cast<std::ptrdiff_t>(inputs());
    out.inputs.insert(out.inputs.end(), first, target);
    out.targets.push_back(*target);
  }
  return out;
}

UciSet read_uci_set(const std::string& data, const std::string& name) {
  const std::string folder = "uci/" + name + "/";
  return {name, read_numbers(existing(data, folder + "data.csv")),
          read_splits(existing(data, folder + "splits.csv"))};
}

std::vector<std::string> uci_names() {
  return {"bostonHousing",
          "concrete",
          "energy",
          "kin8nm",
          "naval-propulsion-plant",
          "power-plant",
          "protein-tertiary-structure",
          "wine-quality-red",
          "yacht"};
}

}  // namespace postrider::experiments

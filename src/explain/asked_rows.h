// Rows about which a model is asked, and what of its predictions is meant.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "explain/outcomes.h"
#include "postrider/table_model.h"

namespace postrider::internal {

// The groups if there are any, else each input by itself. Throws InvalidArgument.
std::vector<std::vector<std::size_t>> sound_groups(
    const std::vector<std::vector<std::size_t>>& given, std::size_t inputs);

// At most so many, evenly among all; without rows those that the model has learned, as its profile keeps them. Throws InvalidArgument if there
// are none, or one cannot be predicted.
Table some_rows(const TableModel& model, const Table& rows, std::size_t most);

// One of the quantities of an outcome: the mean, or the probability of a class.
struct Quantity {
  std::size_t place = 0;
  std::string name;  // such as "predicted rent", "probability of yes"
};
// Throws InvalidArgument if there is no such class, or the target is a number and a class is named.
Quantity quantity_of(const TableModel& model, const std::string& class_name, const Table& rows);

// What is predicted of encoded rows.
Outcomes outcomes_of(const TableModel& model, const std::vector<double>& inputs);

}  // namespace postrider::internal

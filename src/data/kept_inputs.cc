#include "data/kept_inputs.h"

#include <algorithm>

#include "postrider/error.h"

namespace postrider {

OwnedInputs::OwnedInputs(const Inputs& all, std::span<const std::size_t> rows)
    : is_sparse_(all.is_sparse()), columns_(all.columns()) {
  sparse_.columns = columns_;
  sparse_.keeps_zeros = all.keeps_zeros();
  for (const std::size_t row : rows) {
    if (!is_sparse_) {
      const std::span<const double> from = all.values().subspan(row * columns_, columns_);
      dense_.insert(dense_.end(), from.begin(), from.end());
      continue;
    }
    for (std::size_t at = all.begins()[row]; at < all.begins()[row + 1]; ++at)
      sparse_.add(all.places()[at], all.values()[at]);
    sparse_.end_row();
  }
}

namespace internal {

std::vector<double> all_numbers(const Inputs& rows) {
  if (!rows.is_sparse()) return {rows.values().begin(), rows.values().end()};
  const std::size_t columns = rows.columns();
  std::vector<double> out(rows.rows() * columns);
  rows.for_each([&](std::size_t row, std::size_t column, double value) {
    out[row * columns + column] = value;
  });
  return out;
}

void expect_sound(const Inputs& rows) {
  if (!rows.variances().empty())
    reject("variances", rows.variances().size(), "must be none: they are for networks");
  if (!rows.is_sparse()) return;
  const std::span<const std::size_t> begins = rows.begins();
  if (rows.places().size() != rows.values().size())
    reject("places", rows.places().size(), "must be as many as the values");
  if (begins.empty() || begins.back() > rows.values().size() || !std::ranges::is_sorted(begins))
    reject("begins", begins.empty() ? 0 : begins.back(),
           "must rise, and end with at most the number of values");
  for (std::size_t row = 0; row + 1 < begins.size(); ++row)
    for (std::size_t at = begins[row]; at < begins[row + 1]; ++at)
      if (rows.places()[at] >= rows.columns() ||
          (at > begins[row] && rows.places()[at] <= rows.places()[at - 1]))
        reject("places", rows.places()[at],
               "must rise within a row, and be below the number of columns");
}

}  // namespace internal
}  // namespace postrider

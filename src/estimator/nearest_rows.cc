#include "estimator/nearest_rows.h"

#include <cmath>
#include <utility>

#include "postrider/error.h"

namespace postrider::internal {

NearestRows::NearestRows(std::vector<float> numbers, std::size_t columns)
    : numbers_(std::move(numbers)), columns_(columns) {
  if (columns == 0 || numbers_.empty() || numbers_.size() % columns != 0)
    reject("rows", numbers_.size(), "must be as many numbers as rows times columns");
  for (const float x : numbers_)
    if (!std::isfinite(x)) reject("rows", x, "must be finite numbers");
}

void NearestRows::stretch(std::size_t column, float factor) {
  for (std::size_t row = 0; row < rows(); ++row) numbers_[column * rows() + row] *= factor;
}

// A column's numbers lie far from the next one's: those of few rows are taken together first.
std::vector<double> NearestRows::distances_among(std::span<const Near> near) const {
  const std::size_t count = near.size(), all = rows();
  std::vector<double> squares(count * (count - std::min<std::size_t>(count, 1)) / 2);
  std::array<double, kMost> own;
  for (std::size_t column = 0; column < columns_; ++column) {
    for (std::size_t k = 0; k < count; ++k) own[k] = numbers_[column * all + near[k].row];
    for (std::size_t a = 1, k = 0; a < count; ++a)
      for (std::size_t b = 0; b < a; ++b, ++k) squares[k] += (own[a] - own[b]) * (own[a] - own[b]);
  }
  for (double& each : squares) each = std::sqrt(each);
  return squares;
}

// Column by column, so that the compiler can take rows side by side.
void NearestRows::squares_of_tile(std::span<const float> point, std::size_t first,
                                  std::span<float> out) const {
  std::ranges::fill(out, 0.0F);
  for (std::size_t column = 0; column < columns_; ++column) {
    const float* numbers = numbers_.data() + column * rows() + first;
    const float here = point[column];
    for (std::size_t k = 0; k < out.size(); ++k) {
      const float gap = numbers[k] - here;
      out[k] += gap * gap;
    }
  }
}

void NearestRows::insert(Near found, std::vector<Near>& to) {
  to.insert(std::ranges::upper_bound(to, found.square, {}, &Near::square), found);
  if (to.size() > kMost) to.pop_back();
}

}  // namespace postrider::internal

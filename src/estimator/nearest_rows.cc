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

double NearestRows::distance(std::uint32_t a, std::uint32_t b) const {
  double square = 0;
  for (std::size_t column = 0; column < columns_; ++column) {
    const double gap =
        double{numbers_[column * rows() + a]} - double{numbers_[column * rows() + b]};
    square += gap * gap;
  }
  return std::sqrt(square);
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

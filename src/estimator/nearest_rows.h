// Rows as points, and which of them are nearest to another.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace postrider::internal {

class NearestRows {
 public:
  static constexpr std::size_t kMost = 16;
  struct Near {
    std::uint32_t row;
    float square;  // of the distance
  };

  // Takes all numbers of one column after those of another.
  NearestRows(std::vector<float> numbers, std::size_t columns);

  std::size_t rows() const { return numbers_.size() / columns_; }
  std::size_t columns() const { return columns_; }
  const std::vector<float>& numbers() const { return numbers_; }
  void stretch(std::size_t column, float factor);
  // The distances of each of these rows from those before it, row by row.
  std::vector<double> distances_among(std::span<const Near> rows) const;

  // The nearest, or as many as there are, among rows for which leaves_out(row) does not hold; the nearest first, and of those that are
  // as near the first.
  template <class LeavesOut>
  std::vector<Near> near(std::span<const float> point, LeavesOut&& leaves_out) const {
    std::vector<Near> out;
    out.reserve(kMost + 1);
    std::array<float, kTile> squares;
    for (std::size_t first = 0; first < rows(); first += kTile) {
      const std::size_t count = std::min(kTile, rows() - first);
      squares_of_tile(point, first, std::span(squares).first(count));
      for (std::size_t k = 0; k < count; ++k) {
        if (out.size() == kMost && !(squares[k] < out.back().square)) continue;
        const auto row = static_cast<std::uint32_t>(first + k);
        if (!leaves_out(row)) insert({row, squares[k]}, out);
      }
    }
    return out;
  }

 private:
  static constexpr std::size_t kTile = 256;
  void squares_of_tile(std::span<const float> point, std::size_t first, std::span<float> out) const;
  static void insert(Near found, std::vector<Near>& to);

  std::vector<float> numbers_;
  std::size_t columns_;
};

}  // namespace postrider::internal

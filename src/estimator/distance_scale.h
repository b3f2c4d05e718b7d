// How far numbers of a column lie apart, where rows are compared.
#pragma once

#include <span>
#include <vector>

namespace postrider::internal {

// A line through knots, straight between them and, beyond, as between the outermost two. A number that is missing is put at 0, the
// middle, and so are all numbers of a column without knots, whose numbers are alike.
class DistanceScale {
 public:
  DistanceScale() = default;
  // Knots in ascending order, one `to` for each `at`. Throws InvalidArgument if they are not, or if there is one alone.
  DistanceScale(std::vector<double> at, std::vector<double> to);

  // Numbers less their mean, in standard deviations.
  static DistanceScale standard(std::span<const double> numbers);
  // Their ranks, in standard deviations of these: where numbers are crowded, they lie farther apart.
  static DistanceScale ranks(std::vector<double> numbers);

  double operator()(double number) const;
  void stretch(double factor);

  const std::vector<double>& at() const { return at_; }
  const std::vector<double>& to() const { return to_; }

 private:
  std::vector<double> at_, to_;
};

}  // namespace postrider::internal

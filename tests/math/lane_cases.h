// One function on lanes, as every target presents it to the tests, and the arguments to try.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "base/random.h"
#include "math/reference.h"

namespace postrider {
using namespace internal;

// What a function gives for a list of arguments, on each kind of lane.
template <class T>
struct LaneValues {
  std::vector<T> vector, one_lane, scalar;
};

template <class T>
struct LaneCase {
  std::string name;
  std::function<LaneValues<T>(const std::vector<T>& arguments)> run;
  reference::Big (*expected)(double argument);
  double lowest;  // the function has a value or a limit from here to +infinity
  std::vector<double> branch_points;
};

// All functions of one file as one target computes them.
struct LaneCases {
  std::int64_t target;
  std::vector<LaneCase<float>> floats;
  std::vector<LaneCase<double>> doubles;
};

template <class T>
const std::vector<LaneCase<T>>& cases_of(const LaneCases& cases) {
  if constexpr (std::is_same_v<T, float>)
    return cases.floats;
  else
    return cases.doubles;
}

// Both sides of a point: the nearest numbers of type T.
template <class T>
void add_neighbours(double point, std::vector<T>& to) {
  constexpr int kNeighbours = 8;
  T above = static_cast<T>(point), below = above;
  to.push_back(above);
  for (int i = 0; i < kNeighbours; ++i) {
    to.push_back(above = std::nextafter(above, std::numeric_limits<T>::infinity()));
    to.push_back(below = std::nextafter(below, -std::numeric_limits<T>::infinity()));
  }
}

// Arguments in [from, to]: even and random ones where the action is, all orders of magnitude with
// both signs, and the neighbours of the ends, of zero and of every branch point.
template <class T>
std::vector<T> arguments_in(double from, double to, const std::vector<double>& branch_points) {
  constexpr double kFarthest = 1e18;  // where the normal functions stop to follow their argument
  constexpr double kAction = 45;      // exp(-x^2/2) is zero beyond, in double
  constexpr double kSmallest = 1e-30;
  constexpr int kEven = 500, kRandom = 300, kMagnitudes = 300;
  if (std::isinf(from)) from = -kFarthest;
  if (std::isinf(to)) to = kFarthest;
  std::vector<T> points;
  const double low = std::max(from, -kAction), high = std::min(to, kAction);
  for (int i = 0; i <= kEven; ++i) points.push_back(static_cast<T>(low + (high - low) * i / kEven));
  RandomStream random(1, 0);
  const double largest = std::max(std::abs(from), std::abs(to));
  const double smallest = std::min(kSmallest, from > 0 ? from : kSmallest);
  for (int i = 0; i < kRandom; ++i) {
    points.push_back(static_cast<T>(random.uniform(low, high)));
    points.push_back(static_cast<T>(random.log_uniform(smallest, largest)));
    points.push_back(static_cast<T>(-random.log_uniform(smallest, largest)));
  }
  const double step = (std::log(largest) - std::log(smallest)) / kMagnitudes;
  for (int i = 0; i <= kMagnitudes; ++i)
    for (const double sign : {1.0, -1.0})
      points.push_back(static_cast<T>(sign * std::exp(std::log(smallest) + i * step)));
  for (const double point : {from, 0.0, to}) add_neighbours(point, points);
  for (const double point : branch_points) add_neighbours(point, points);
  // Numbers below the normal ones count as zero on lanes.
  std::erase_if(points, [&](T x) {
    return !(static_cast<double>(x) >= from && static_cast<double>(x) <= to) ||
           (x != 0 && !std::isnormal(x));
  });
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

// |value - expected| in units in the last place of the expected value as a T.
template <class T>
double error_in_ulp(T value, const reference::Big& expected, bool of_at_least_one) {
  using reference::Big;
  if (!std::isfinite(value)) return std::numeric_limits<double>::infinity();
  Big scale = abs(expected);
  if (of_at_least_one && scale < 1) scale = 1;
  if (scale < std::numeric_limits<T>::min()) scale = std::numeric_limits<T>::min();
  const Big unit =
      ldexp(Big(1), static_cast<int>(ilogb(scale)) - std::numeric_limits<T>::digits + 1);
  return static_cast<double>(Big(abs(Big(value) - expected) / unit));
}

}  // namespace postrider

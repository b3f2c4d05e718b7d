// The tests that every file of functions on lanes goes through: each target ran, vector and one
// lane agree to the bit, the accuracy table holds, documented limits hold, nothing is NaN.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <iostream>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "math/accuracy_table.h"
#include "math/dispatch.h"
#include "math/lane_cases.h"
#include "math/simd_level.h"

namespace postrider {
using namespace internal;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class T>
std::string lanes_named() {
  return std::is_same_v<T, float> ? "float" : "double";
}

// Calls the exported function once per level of this machine.
template <class Table>
std::vector<LaneCases> cases_of_every_level(const Table& table) {
  std::vector<LaneCases> out;
  for (const SimdLevel level : SimdLevel::available()) out.push_back(dispatched(table, level)());
  return out;
}

inline void check_every_target_ran(const std::vector<LaneCases>& levels) {
  std::set<std::int64_t> ran, available;
  for (const LaneCases& cases : levels) {
    ran.insert(cases.target);
    EXPECT_FALSE(cases.floats.empty());
    EXPECT_EQ(cases.floats.size(), cases.doubles.size());
  }
  for (const SimdLevel level : SimdLevel::available()) available.insert(level.target());
  EXPECT_EQ(ran, available);
}

template <class T>
void expect_same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    ASSERT_EQ(std::memcmp(&a[i], &b[i], sizeof(T)), 0)
        << "at " << i << ": " << a[i] << ", " << b[i];
}

template <class T>
void check_row(const AccuracyRow& row, const std::vector<LaneCases>& levels, std::size_t index) {
  const LaneCase<T>& first = cases_of<T>(levels[0])[index];
  const std::vector<T> points = arguments_in<T>(row.from, row.to, first.branch_points);
  std::vector<reference::Big> expected;
  for (const T x : points) expected.push_back(first.expected(static_cast<double>(x)));
  double worst = 0;
  for (const LaneCases& level : levels) {
    const LaneCase<T>& tried = cases_of<T>(level)[index];
    SCOPED_TRACE(row.function + " " + row.lanes + " " + hwy::TargetName(level.target));
    ASSERT_EQ(tried.name, row.function);
    const LaneValues<T> values = tried.run(points);
    expect_same_bits(values.vector, values.one_lane);
    for (std::size_t i = 0; i < points.size(); ++i)
      for (const T value : {values.vector[i], values.scalar[i]}) {
        const double error = error_in_ulp(value, expected[i], row.of_at_least_one);
        worst = std::max(worst, error);
        ASSERT_LE(error, row.ulp) << "at " << points[i] << ": " << value << " instead of "
                                  << expected[i].str(std::numeric_limits<T>::max_digits10);
      }
  }
  std::cout << row.function << ' ' << row.lanes << ": " << points.size() << " arguments, " << worst
            << " ULP of " << row.ulp << " allowed\n";
}

// Rows of other files are theirs to check, as long as the file is one of `files`.
inline void check_accuracy_table(const std::string& path, const std::string& file,
                                 const std::set<std::string>& files,
                                 const std::vector<LaneCases>& levels) {
  std::map<std::string, std::size_t> index;
  const std::vector<LaneCase<double>>& known = levels[0].doubles;
  for (std::size_t i = 0; i < known.size(); ++i) index[known[i].name] = i;
  std::set<std::string> missing;
  for (const auto& [name, i] : index)
    for (const char* lanes : {" float", " double"}) missing.insert(name + lanes);
  for (const AccuracyRow& row : read_accuracy_table(path)) {
    EXPECT_TRUE(files.contains(row.file)) << row.function << ": no test reads rows of " << row.file;
    if (row.file != file) continue;
    const auto at = index.find(row.function);
    if (at == index.end()) {
      ADD_FAILURE() << row.function << ": in the table, but unknown to the test of " << file;
      continue;
    }
    EXPECT_EQ(missing.erase(row.function + " " + row.lanes), 1U)
        << row.function << " " << row.lanes << ": twice, or lanes neither float nor double";
    row.lanes == "float" ? check_row<float>(row, levels, at->second)
                         : check_row<double>(row, levels, at->second);
  }
  for (const std::string& name : missing) ADD_FAILURE() << name << ": not in the table of " << path;
}

// A limit that a function reaches exactly.
struct Limit {
  const char* function;
  double argument, expected;
};

template <class T>
void check_limits(const std::vector<LaneCases>& levels, const std::vector<Limit>& limits) {
  for (const LaneCases& level : levels)
    for (const Limit& limit : limits) {
      SCOPED_TRACE(std::string(limit.function) + " " + lanes_named<T>() + " " +
                   hwy::TargetName(level.target));
      bool found = false;
      for (const LaneCase<T>& tried : cases_of<T>(level)) {
        if (tried.name != limit.function) continue;
        found = true;
        const LaneValues<T> values = tried.run({static_cast<T>(limit.argument)});
        for (const T value : {values.vector[0], values.one_lane[0], values.scalar[0]})
          EXPECT_EQ(value, static_cast<T>(limit.expected)) << "at " << limit.argument;
      }
      EXPECT_TRUE(found) << limit.function << ": unknown to the test";
    }
}

// The ends of the type and whatever lies between, from the lowest argument on.
template <class T>
void check_never_nan(const std::vector<LaneCases>& levels) {
  using Limits = std::numeric_limits<T>;
  for (const LaneCases& level : levels)
    for (const LaneCase<T>& tried : cases_of<T>(level)) {
      SCOPED_TRACE(tried.name + " " + lanes_named<T>() + " " + hwy::TargetName(level.target));
      std::vector<T> points{Limits::infinity(),          Limits::max(),     Limits::min(),
                            Limits::denorm_min(),        Limits::epsilon(), 0,
                            static_cast<T>(tried.lowest)};
      for (int exponent = Limits::min_exponent; exponent < Limits::max_exponent; ++exponent)
        points.push_back(std::ldexp(T(1), exponent));
      for (std::size_t i = points.size(); i-- > 0;)
        if (-static_cast<double>(points[i]) >= tried.lowest) points.push_back(-points[i]);
      const LaneValues<T> values = tried.run(points);
      expect_same_bits(values.vector, values.one_lane);
      for (std::size_t i = 0; i < points.size(); ++i) {
        ASSERT_FALSE(std::isnan(values.vector[i])) << "at " << points[i];
        ASSERT_FALSE(std::isnan(values.scalar[i])) << "at " << points[i] << ", scalar";
      }
    }
}

}  // namespace postrider

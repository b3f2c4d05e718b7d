// Rows to learn from, and what two networks have in common.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/random.h"
#include "postrider/network/network.h"

namespace postrider::network {
using namespace internal;

struct Problem {
  std::size_t inputs = 2, outputs = 1;
  std::vector<double> x, y;

  Inputs rows() const { return {x}; }
  std::size_t size() const { return y.size() / outputs; }
};

// A bent plane with noise of deviation 0.3; the second output is its negative half.
inline Problem bent_plane(std::size_t rows, std::size_t outputs = 1, std::uint64_t seed = 1) {
  Problem out{.outputs = outputs, .x = {}, .y = {}};
  RandomStream random(seed, 0);
  for (std::size_t i = 0; i < rows; ++i) {
    const double a = random.normal(), b = random.normal();
    out.x.insert(out.x.end(), {a, b});
    for (std::size_t o = 0; o < outputs; ++o)
      out.y.push_back((o == 0 ? 1 : -0.5) * (std::max(a, 0.0) + 0.5 * b) + 0.3 * random.normal());
  }
  return out;
}

inline NetworkOptions small_network(Precision precision,
                                    const std::vector<std::size_t>& hidden = {6},
                                    std::size_t outputs = 1) {
  NetworkOptions out = NetworkOptions::dense(2, hidden, outputs);
  out.precision = precision;
  return out;
}

inline std::vector<Gaussian> beliefs_of(const Network& network) {
  std::vector<Gaussian> out;
  for (std::size_t i = 0; i < network.weight_count(); ++i) out.push_back(network.weight(i));
  return out;
}

inline void expect_close(const std::vector<Gaussian>& found, const std::vector<Gaussian>& expected,
                         double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_TRUE(equal_within(found[i], expected[i], {tolerance}))
        << "weight " << i << ": " << found[i] << " and " << expected[i];
}

}  // namespace postrider::network

// Which messages of a network were sent, and how many of them with negative precision.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace postrider::experiments {

// Messages towards variables that are not the output of a sum, which is exact. `to_term` is what a
// product would tell its result if the example were swept once more.
enum class Edge { to_weight, to_input, to_term, through_relu };
inline constexpr std::size_t kEdges = 4;
inline constexpr std::array<std::string_view, kEdges> kEdgeNames{
    "product_to_weight", "product_to_input", "product_to_term", "relu_to_input"};

// Below this share of the cavity's precision, a negative precision is counted as deep.
inline constexpr double kDeep = 0.01;

struct Count {
  std::size_t sent = 0, negative = 0, deep = 0;

  Count& operator+=(const Count& other) {
    sent += other.sent;
    negative += other.negative;
    deep += other.deep;
    return *this;
  }
};

// Why a message of expectation propagation may not exist: an integral that diverges, since what
// came in has negative precision.
enum class Undefined { none, weight_cavity, product, relu };
inline constexpr std::size_t kUndefined = 4;
inline constexpr std::array<std::string_view, kUndefined> kUndefinedNames{"none", "weight_cavity",
                                                                          "product", "relu"};

// Counts of one epoch.
struct SiteCounts {
  std::vector<std::array<Count, kEdges>> layers;  // from the inputs on
  std::array<std::size_t, kUndefined> undefined{};
  std::size_t unresolved = 0;  // quadratures that did not settle
  std::size_t guarded = 0;     // conditioned ReLU messages whose division the guard replaced

  explicit SiteCounts(std::size_t layer_count) : layers(layer_count) {}

  SiteCounts& operator+=(const SiteCounts& other);
  // Over all layers; all edges whose messages are used, or one.
  Count used() const;
  Count of(Edge edge) const;
};

}  // namespace postrider::experiments

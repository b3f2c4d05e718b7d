// Many messages of one factor at once, on the vector unit: a structure of arrays in, one out.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "factor/words.h"
#include "math/simd_level.h"

namespace postrider::internal {

template <class T>
struct MessageArray {
  std::span<T> tau, rho;
};

// One array per edge, all of one length. T is float or double.
template <class T>
struct Batch {
  std::vector<MessageArray<const T>> incoming;
  MessageArray<T> outgoing;
  std::span<T> log_scale;  // may be empty
  std::span<T> event;      // may be empty; holds the number of an Event
};

enum class Width {
  vector,    // whole vectors, the remainder on one lane
  one_lane,  // everything on one lane: equal to the former to the bit
};

inline constexpr std::size_t kMostEdgesOfBatch = 16;

// The factors that can be sent so: those of list-inl.h.
std::vector<std::string> batched_factor_names();

// Throws InvalidArgument for an unknown factor, parameter, edge or rule, or arrays of other
// lengths.
template <class T>
void send_many(std::string_view factor, const std::vector<Parameter>& parameters, std::size_t edge,
               Rule rule, const Batch<T>& batch, SimdLevel level, Width width = Width::vector);

// The same on the best level, for a factor that has seen to names and lengths. Doubles are, to the bit, what Factor::send gives for each row.
void send_rows_together(std::string_view factor, const std::vector<Parameter>& parameters,
                        std::size_t edge, Rule rule, const Batch<double>& batch);

extern template void send_many(std::string_view, const std::vector<Parameter>&, std::size_t, Rule,
                               const Batch<float>&, SimdLevel, Width);
extern template void send_many(std::string_view, const std::vector<Parameter>&, std::size_t, Rule,
                               const Batch<double>&, SimdLevel, Width);

}  // namespace postrider::internal

// The encoding of columns in a model's file, as arrays of numbers.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "data/safetensors.h"
#include "encode/input_encoding.h"
#include "estimator/description.h"

namespace postrider::internal {

// The columns' encodings as arrays: one number for each column, or one list of numbers after the other.
struct EncodingArrays {
  std::vector<double> kinds, means, units, knot_counts, knots, rank_counts, ranks, unit;
  std::vector<double> typical_means, typical_variances;

  EncodingArrays() = default;
  explicit EncodingArrays(const InputEncoding& encoding);

  // Calls visit(name in the file, array).
  template <class Visit>
  void for_each(Visit&& visit) {
    visit("encoding.kinds", kinds);
    visit("encoding.means", means);
    visit("encoding.units", units);
    visit("encoding.knot_counts", knot_counts);
    visit("encoding.knots", knots);
    visit("encoding.rank_counts", rank_counts);
    visit("encoding.ranks", ranks);
    visit("encoding.unit", unit);
    visit("encoding.typical_means", typical_means);
    visit("encoding.typical_variances", typical_variances);
  }
};

// Reads it for a model whose columns have these scales. Throws CorruptFile.
InputEncoding read_encoding(SafetensorsReader& file, const Description& from,
                            const Scales& columns);

// Arrays of numbers. Throw CorruptFile.
std::size_t length_of(const SafetensorsReader& file, const Description& from,
                      const std::string& name);
std::vector<double> read_doubles(SafetensorsReader& file, const std::string& name,
                                 std::size_t size);

}  // namespace postrider::internal

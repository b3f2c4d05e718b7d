// The learned shape of a model file: its neighbours, and its classifier, which is a model file in itself and lies in an array of words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "data/safetensors.h"
#include "estimator/learned_shape.h"

namespace postrider::internal {

class Description;
class ModelArrays;

// What is stored of a shape: the bytes of its classifier in words, of which the last may not be full, and its neighbours' numbers.
struct ShapeArrays {
  std::vector<std::uint32_t> classifier;
  std::size_t classifier_bytes = 0;
  std::vector<double> knots, knots_to;     // of all columns, one after the other
  std::vector<std::uint32_t> knot_counts;  // of each column
  std::vector<double> rows, scores;        // column by column; one for each row
};
ShapeArrays arrays_of(const LearnedShape* shape);
// The arrays must stay as long as `to`.
void add_shape(const LearnedShape& shape, const ShapeArrays& arrays, ModelArrays& to,
               std::map<std::string, std::string>& metadata);

// Reads that of a model with so many columns; there is none in files before 0.3, nor where none was asked for. Throws CorruptFile.
std::shared_ptr<const LearnedShape> read_shape(SafetensorsReader& file, const Description& from,
                                               std::size_t columns);

}  // namespace postrider::internal

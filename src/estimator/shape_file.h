// The learned shape of a model file: its classifier is a model file in itself, and lies in an array of words.
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

// The bytes of a shape's classifier, in words of which the last may not be full; none where there is no shape.
struct ShapeWords {
  std::vector<std::uint32_t> words;
  std::size_t bytes = 0;
};
ShapeWords words_of(const LearnedShape* shape);
void describe_shape(const LearnedShape& shape, const ShapeWords& stored,
                    std::map<std::string, std::string>& metadata);
inline constexpr const char* kShapeArray = "shape.classifier";

// Reads that of a model with so many columns; there is none in files before 0.3, nor where none was asked for. Throws CorruptFile.
std::shared_ptr<const LearnedShape> read_shape(SafetensorsReader& file, const Description& from,
                                               std::size_t columns);

}  // namespace postrider::internal

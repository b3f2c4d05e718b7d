// The learned shape of a model file: its classifier is a model file in itself, and lies in an array of words.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "data/safetensors.h"
#include "estimator/learned_shape.h"

namespace postrider::internal {

class Description;

// What is stored of a shape, if there is one; metadata says the rest.
std::vector<std::uint32_t> words_of(const LearnedShape* shape);
void describe_shape(const LearnedShape& shape, std::map<std::string, std::string>& metadata);
inline constexpr const char* kShapeArray = "shape.classifier";

// Of a model with so many columns. None in files before 0.3, and of most tables of few rows. Throws CorruptFile.
std::shared_ptr<const LearnedShape> read_shape(SafetensorsReader& file, const Description& from,
                                               std::size_t columns);

}  // namespace postrider::internal

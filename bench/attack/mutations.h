// Ways to change a safetensors file.
#pragma once

#include <string>

#include "base/random.h"

namespace postrider::attack {
using namespace internal;

// Any changed byte, bit or length below leaves the checksums as they were.
std::string truncated(std::string bytes, RandomStream& random);
std::string with_changed_bit(std::string bytes, std::size_t from, std::size_t to,
                             RandomStream& random);
std::size_t header_end(const std::string& bytes);

// A file that is well-formed, with one or a few values changed: texts of the metadata, sizes and places of
// arrays, numbers of arrays set to what breaks arithmetic. Its checksums are made to fit.
std::string with_changed_values(const std::string& bytes, RandomStream& random);

}  // namespace postrider::attack

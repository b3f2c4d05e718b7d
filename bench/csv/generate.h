// A large CSV file, made by the same seed each time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace postrider::bench {

inline constexpr const char* kTarget = "y";

// Twenty columns of numbers with six digits, a category, some missing cells, and a target that follows
// from them with noise. Throws Error if it cannot be written. Returns its bytes.
std::uint64_t generate_csv(const std::string& path, std::uint64_t bytes);

}  // namespace postrider::bench

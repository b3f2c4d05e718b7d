// Positions that are numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "postrider/table_model.h"

namespace postrider::cli {

// Where a partition stands, if the model knows it. Throws CorruptFile if that is not a number.
std::optional<std::uint64_t> number_at(const StreamPosition& position,
                                       const std::string& partition);

// Throws CorruptFile if a file ends before what the model has learned of it: it is another one.
void expect_learned(const std::string& path, const std::string& partition, std::uint64_t found,
                    std::uint64_t learned);

}  // namespace postrider::cli

// Positions that are numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "postrider/table_model.h"

namespace postrider::cli {

// Of a partition, if the model knows it. Throws CorruptFile if it is no number.
std::optional<std::uint64_t> number_at(const StreamPosition& position,
                                       const std::string& partition);

}  // namespace postrider::cli

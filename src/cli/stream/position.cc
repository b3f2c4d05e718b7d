#include "cli/stream/position.h"

#include <charconv>

#include "postrider/error.h"

namespace postrider::cli {

std::optional<std::uint64_t> number_at(const StreamPosition& position,
                                       const std::string& partition) {
  const auto known = position.partitions.find(partition);
  if (known == position.partitions.end()) return {};
  const std::string& text = known->second;
  std::uint64_t out = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size())
    throw CorruptFile("the model has no number as its position in " + position.source + ", " +
                      partition + ": \"" + text + "\"");
  return out;
}

}  // namespace postrider::cli

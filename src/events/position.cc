#include "events/position.h"

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

void expect_learned(const std::string& path, const std::string& partition, std::uint64_t found,
                    std::uint64_t learned) {
  if (found >= learned) return;
  throw CorruptFile(path + ": has " + std::to_string(found) + " " + partition +
                    ", but the model has learned " + std::to_string(learned) +
                    " of a file of this name, which must have been another one: give the new file "
                    "a name of its own");
}

}  // namespace postrider::cli

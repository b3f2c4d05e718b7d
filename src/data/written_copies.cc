#include "data/written_copies.h"

#include <bit>
#include <functional>
#include <unordered_set>

#include "data/cell_columns.h"

namespace postrider::internal {

void WrittenCopies::add_hash(std::size_t row, std::uint64_t hash) {
  if (row >= hashes_.size()) hashes_.resize(row + 1, kTextHashStart);
  hashes_[row] = mixed_hash(hashes_[row] * 31 + hash);
}

void WrittenCopies::add(std::size_t row, std::string_view cell) {
  add_hash(row, std::hash<std::string_view>()(cell));
}

void WrittenCopies::add(std::size_t row, double number) {
  add_hash(row, std::bit_cast<std::uint64_t>(number));
}

std::vector<bool> WrittenCopies::found() const {
  std::unordered_set<std::uint64_t> seen;
  std::vector<bool> out;
  for (const std::uint64_t hash : hashes_) out.push_back(!seen.insert(hash).second);
  if (2 * seen.size() < hashes_.size()) out.assign(hashes_.size(), false);
  return out;
}

}  // namespace postrider::internal

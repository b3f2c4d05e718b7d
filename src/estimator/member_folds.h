// Which rows each member of an ensemble does not learn, so that every row can be judged by networks that have not seen it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "estimator/state.h"

namespace postrider::internal {

// Rows are dealt to folds, and each member leaves out one. When all folds have a member, rows are dealt anew for the next
// members: two that leave out the same row differ in the other rows that they leave out, as any two do at a new row.
// Rows that belong together are in one fold: those of one group where the caller names groups, else exact copies.
// Classes are shared out evenly. A function of what it is given alone.
class MemberFolds {
 public:
  MemberFolds() = default;
  // These rows, and those that belong together with one of them, are left out by nobody.
  MemberFolds(const Examples& rows, ModelKind kind, std::size_t members, std::uint64_t seed,
              std::span<const std::uint32_t> never = {});

  // Rows by number, ascending; none where rows are too few to leave any out.
  std::span<const std::uint32_t> left_out_by(std::size_t member) const;

 private:
  std::vector<std::vector<std::uint32_t>> of_members_;
};

// The same where rows lie in shards that do not know of each other: those of one shard that a member leaves out, ascending.
// Rows are dealt one by one; where they have groups, a group's number alone says its fold, so that it is the same in all shards.
std::vector<std::uint32_t> left_out_of_shard(std::size_t rows, std::size_t member,
                                             std::uint64_t shard, std::uint64_t seed,
                                             std::span<const std::uint32_t> groups = {});

// For each row the number of the first row that is its exact copy, inputs and targets: its own number if there is none
// before.
std::vector<std::uint32_t> first_copies(const Examples& rows);

}  // namespace postrider::internal

#include "sparse/weight_table.h"

#include <gtest/gtest.h>

#include <map>

#include "base/random.h"

namespace postrider::internal::hashed {
namespace {

constexpr float kPrior[] = {2, 3};

TEST(WeightTable, KnowsWhatAMapKnows) {
  WeightTable table(2);
  std::map<std::uint64_t, std::array<float, 4>> expected;
  RandomStream random(1, 0);
  for (int step = 0; step < 200'000; ++step) {
    // Small keys in a row, key 0 among them, and ones from all 64 bits.
    const std::uint64_t key =
        step % 2 == 0 ? random.below(20'000) : random.below(20'000) * 0x123456789abcdef1;
    const WeightTable::Found found = table.find_or_add(key, kPrior);
    const auto [place, is_new] = expected.try_emplace(key, std::array<float, 4>{0, 0, 2, 3});
    ASSERT_EQ(found.added, is_new) << key;
    for (std::size_t k = 0; k < 4; ++k) {
      ASSERT_EQ(found.beliefs[k], place->second[k]);
      place->second[k] += static_cast<float>(k + 1);
      found.beliefs[k] += static_cast<float>(k + 1);
    }
  }
  EXPECT_EQ(table.size(), expected.size());
  for (const auto& [key, beliefs] : expected) {
    const float* const found = table.find(key);
    ASSERT_NE(found, nullptr);
    for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(found[k], beliefs[k]);
  }
  EXPECT_EQ(table.find(0x1234567), nullptr);
  std::size_t visited = 0;
  table.for_each([&](std::uint64_t key, const float* beliefs) {
    ++visited;
    EXPECT_EQ(beliefs[1], expected.at(key)[1]);
  });
  EXPECT_EQ(visited, expected.size());
}

TEST(WeightTable, DropsAndStillFindsTheOthers) {
  WeightTable table(1);
  const float prior[] = {1};
  for (std::uint64_t key = 0; key < 50'000; ++key)
    table.find_or_add(key, prior).beliefs[0] = static_cast<float>(key);
  const std::size_t before = table.bytes();
  EXPECT_EQ(table.keep_if([](std::uint64_t key, const float*) { return key % 5 == 0; }), 40'000U);
  EXPECT_EQ(table.size(), 10'000U);
  EXPECT_LT(table.bytes(), before / 3);
  for (std::uint64_t key = 0; key < 50'000; ++key) {
    const float* const found = table.find(key);
    ASSERT_EQ(found != nullptr, key % 5 == 0) << key;
    if (found != nullptr) {
      EXPECT_EQ(found[0], static_cast<float>(key));
    }
  }
}

// 24 bytes a weight, growth included, from where segments have a few hundred slots.
TEST(WeightTable, StaysWithinItsMemory) {
  WeightTable table(1);
  const float prior[] = {1};
  constexpr std::size_t kFrom = 100'000, kBytesPerWeight = 24;
  RandomStream random(2, 0);
  while (table.size() < 1'000'000) {
    table.find_or_add(random.next_bits(), prior);
    if (table.size() >= kFrom) {
      ASSERT_LE(table.bytes(), kBytesPerWeight * table.size()) << table.size();
    }
  }
  EXPECT_LE(table.peak_bytes(), kBytesPerWeight * table.size());
}

TEST(WeightTable, TellsWhenPointersAreVoid) {
  WeightTable table(1);
  const float prior[] = {1};
  const float* const first = table.find_or_add(7, prior).beliefs;
  const std::uint64_t generation = table.generation();
  std::uint64_t key = 100;
  while (table.generation() == generation) {
    EXPECT_EQ(table.find(7), first);
    table.find_or_add(key++, prior);
  }
}

// Whoever adds in another order, or drops and adds again, walks through the same weights in the same order.
TEST(WeightTable, HasOneOrder) {
  WeightTable up(1), down(1);
  const float prior[] = {1};
  for (std::uint64_t key = 0; key < 3000; ++key) up.find_or_add(key, prior);
  for (std::uint64_t key = 3000; key-- > 0;) down.find_or_add(key, prior);
  std::vector<std::uint64_t> a, b;
  up.for_each([&](std::uint64_t key, const float*) { a.push_back(key); });
  down.for_each([&](std::uint64_t key, const float*) { b.push_back(key); });
  EXPECT_EQ(a, b);
}

}  // namespace
}  // namespace postrider::internal::hashed

#include "sparse/owner.h"

#include <gtest/gtest.h>

#include "complaint.h"
#include "sparse/shared_sums.h"

namespace postrider::sparse {
using namespace internal;
namespace {

constexpr std::uint64_t kKeys[] = {5, 9};

std::vector<std::int64_t> filled(std::int64_t tau, std::int64_t rho) {
  std::vector<std::int64_t> out;
  for (int key = 0; key < 2; ++key) {
    out.insert(out.end(), 8, tau);
    out.insert(out.end(), 8, rho);
  }
  return out;
}

TEST(SparseOwner, SumsDoNotDependOnTheOrder) {
  SparseOwner one({}, {}), other({}, {});
  const std::vector<std::uint64_t> first{kKeys[0]}, second{kKeys[1]};
  const auto a = filled(3, 4), b = filled(-7, 1);
  one.add(kKeys, a);
  one.add(kKeys, b);
  other.add(kKeys, b);
  other.add(second, std::span(a).subspan(16));
  other.add(first, std::span(a).first(16));
  EXPECT_EQ(one.beliefs(kKeys), other.beliefs(kKeys));
  EXPECT_EQ(one.size(), 2U);
  // -4 units of 2^-24 of the square root of the precision, 1/2 below a prior variance of 3.16
  const double expected = -4 * 0.5 / (1 << 24) * 3.16227766;
  EXPECT_NEAR(static_cast<double>(one.beliefs(first)[5]), expected, -1e-5 * expected);
}

TEST(SparseOwner, WhatIsRefusedIsNotAdded) {
  SparseOwner owner({}, {});
  owner.add(kKeys, filled(1, 1));
  const auto before = owner.beliefs(kKeys);
  auto changes = filled(1, 1);
  changes.back() = INT64_MAX;
  EXPECT_NE(complaint([&] { owner.add(kKeys, changes); }), "no complaint");
  changes.back() = -2;
  EXPECT_NE(complaint([&] { owner.add(kKeys, changes); }), "no complaint");
  EXPECT_EQ(complaint([&] {
              owner.add(std::vector<std::uint64_t>{9, 5}, filled(1, 1));
            }),
            "keys = 5: must ascend");
  EXPECT_EQ(complaint([&] { owner.add(kKeys, std::vector<std::int64_t>(3)); }),
            "changes = 3: must be a tau and a rho for each key and model, 32");
  EXPECT_EQ(owner.beliefs(kKeys), before);
  changes.back() = -1;  // down to the prior
  owner.add(kKeys, changes);
  EXPECT_EQ(complaint([&] { owner.add_shared({1}, 0); }),
            "changes = 1: must be as many as what is shared, 45");
}

TEST(SparseOwner, KeepsModels) {
  SparseOwner owner({}, {});
  auto changes = filled(0, 0);
  for (std::size_t k = 0; k < changes.size(); ++k) changes[k] = static_cast<std::int64_t>(k) << 16;
  owner.add(kKeys, changes);
  const auto before = owner.beliefs(kKeys);
  owner.keep(0b1000100);
  EXPECT_EQ(owner.models(), 0b1000100U);
  const auto after = owner.beliefs(kKeys);
  ASSERT_EQ(after.size(), 8U);
  EXPECT_EQ(after[0], before[2]);
  EXPECT_EQ(after[1], before[6]);
  EXPECT_EQ(after[3], before[14]);
  EXPECT_EQ(after[6], before[16 + 10]);
  EXPECT_NE(complaint([&] { owner.keep(1); }), "no complaint");
  owner.add(kKeys, std::vector<std::int64_t>(8, 1));
}

// As a model in one place does: after 4096 rows, and with more than half a million weights.
TEST(SparseOwner, GivesUpModelsThatDoNotCount) {
  SparseOwner owner({}, {});
  SparseSums changes(owner.shared().size());
  changes[8 * 5] = 4000;                                                           // rows
  for (std::size_t k = 0; k < 8; ++k) changes[k] = -(std::int64_t(k) * 50 << 20);  // scores
  owner.add_shared(changes, 100);
  EXPECT_EQ(hashed::bits_of(owner.shared()), 0xffU);
  EXPECT_EQ(owner.summary().rows, 4000U);
  EXPECT_GT(owner.summary().shares[0], 0.999);
  owner.add_shared(changes, 100);
  EXPECT_EQ(hashed::bits_of(owner.shared()), 1U);
  EXPECT_EQ(owner.models(), 0xffU);  // until somebody says so
  SparseOwner large({}, {});
  changes[8 * 5] = 10;
  large.add_shared(changes, 600'000);
  EXPECT_EQ(hashed::bits_of(large.shared()), 1U);
}

}  // namespace
}  // namespace postrider::sparse

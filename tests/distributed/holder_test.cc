#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "base/random.h"
#include "distributed/spread_sine.h"
#include "postrider/distributed/parts.h"
#include "postrider/error.h"

namespace postrider::distributed {
using namespace internal;
namespace {

class Holder : public SpreadSine {
 protected:
  Holder() : model_(small(2)), holder_(model_) {
    const Shards all = shards(3);
    std::vector<ByteString> summaries;
    for (std::size_t shard = 0; shard < all.count; ++shard) {
      holder_.hold(shard, all.rows(shard));
      summaries.push_back(holder_.summary(shard));
    }
    holder_.prepare(summaries);
    driver_.emplace(model_, DistributedOptions{.shards = 3}, summaries);
  }

  // A step of a round, and the one that ends its epoch.
  std::vector<ByteString> steps() {
    std::vector<ByteString> out;
    for (ByteString step = driver_->next(); !step.empty(); step = driver_->next()) {
      const ShardHolder::Answer answer = holder_.run(step);
      if (out.size() < 2 || step.front() != out.front().front()) out.push_back(step);
      driver_->accept(answer.sums, std::vector<ByteString>{answer.results});
      if (driver_->epochs() == 1) return out;
    }
    return out;
  }

  // Whether it is answered; what makes no sense is refused by an exception of the library's.
  bool is_answered(const ByteString& step) {
    try {
      holder_.run(step);
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  Regressor model_;
  ShardHolder holder_;
  std::optional<DistributedDriver> driver_;
};

TEST_F(Holder, RefusesStepsThatMakeNoSense) {
  std::size_t refused = 0, tried = 0;
  RandomStream random(1, 0);
  for (const ByteString& step : steps()) {
    // Each of the first numbers becomes 0, 1, -1, the largest and a bit of it.
    for (std::size_t at = 0; at + 8 <= std::min<std::size_t>(step.size(), 400); ++at)
      for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0},
                                        ~std::uint64_t{0} >> 1, std::uint64_t{1} << 40}) {
        ByteString bad = step;
        std::memcpy(&bad[at], &value, sizeof value);
        refused += is_answered(bad) ? 0 : 1;
        ++tried;
      }
    for (int draw = 0; draw < 300; ++draw) {
      ByteString bad = step;
      for (int byte = 0; byte < 4; ++byte)
        bad[static_cast<std::size_t>(random.uniform() * static_cast<double>(bad.size()))] =
            static_cast<std::byte>(random.uniform() * 256);
      refused += is_answered(bad) ? 0 : 1;
      ++tried;
      bad.resize(static_cast<std::size_t>(random.uniform() * static_cast<double>(bad.size())));
      EXPECT_FALSE(is_answered(bad));
    }
  }
  EXPECT_GT(tried, 2000U);
  EXPECT_GT(refused, tried / 4);
}

TEST_F(Holder, StillAnswersAfterwards) {
  const std::vector<ByteString> asked = steps();
  ASSERT_FALSE(asked.empty());
  EXPECT_FALSE(is_answered({}));
  EXPECT_FALSE(is_answered(ByteString(100, std::byte{0xff})));
  EXPECT_TRUE(is_answered(asked.back()));
}

}  // namespace
}  // namespace postrider::distributed

#include "sweep/flush.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "sweep/engine.h"

namespace postrider::network {
using namespace internal;
namespace {

// Not known to the compiler, and computed where it is asked for.
float half_of(volatile const float& x) { return x * 0.5f; }
float times_a_million(volatile const float& x) { return x * 1e6f; }

constexpr float kSmallest = std::numeric_limits<float>::min();
constexpr float kTiny = kSmallest / 4;  // below the normal numbers

#if HWY_ARCH_X86
TEST(FlushTinyNumbers, ResultsAndOperandsBelowTheNormalNumbersAreZero) {
  const volatile float smallest = kSmallest, tiny = kTiny;
  const FlushTinyNumbers flush;
  EXPECT_TRUE(half_of(smallest) == 0);
  EXPECT_TRUE(times_a_million(tiny) == 0);
}
#endif

TEST(FlushTinyNumbers, NormalNumbersStayAsTheyAre) {
  const volatile float smallest = kSmallest, one = 1;
  const FlushTinyNumbers flush;
  EXPECT_EQ(times_a_million(smallest), kSmallest * 1e6f);
  EXPECT_EQ(half_of(one), 0.5f);
}

TEST(FlushTinyNumbers, TheCallersArithmeticIsAsBefore) {
  const volatile float smallest = kSmallest, tiny = kTiny;
  { const FlushTinyNumbers flush; }
  EXPECT_EQ(half_of(smallest), kSmallest / 2);
  EXPECT_EQ(times_a_million(tiny), kTiny * 1e6f);
}

// Within one that is there already, leaving the inner one changes nothing.
TEST(FlushTinyNumbers, MayBeNested) {
  const volatile float smallest = kSmallest;
  {
    const FlushTinyNumbers outer;
    const float before = half_of(smallest);
    { const FlushTinyNumbers inner; }
    const float after = half_of(smallest);
    EXPECT_TRUE(after == before);
  }
  EXPECT_EQ(half_of(smallest), kSmallest / 2);
}

#if HWY_ARCH_X86
// A weight of mean 1e-20 times an input of 1e-20 lies below the normal numbers of floats: a sweep takes
// it as zero, since every operation on such a number costs a hundred others.
TEST(FlushTinyNumbers, IsOnInPredictionAndLearning) {
  constexpr float kInput = 1e-20f, kTau = 1e-20f, kTarget = 1;
  const std::vector<SweepLayer> layers{{1, 1, /*bias=*/false}};
  const SweepEngine<float> engine(layers, graph::Rule::conditioned);
  WeightMessages<float> beliefs = engine.beliefs();
  beliefs.tau[engine.layout().positions(layers).front()] = kTau;
  ASSERT_GT(static_cast<double>(kInput) * static_cast<double>(kTau),
            static_cast<double>(std::numeric_limits<float>::denorm_min()));
  const auto inputs = StoredInputs<float>::of_dense({&kInput, 1}, {}, 1);
  const ExamplesView<float> examples{inputs.view(), {&kTarget, 1}, 1};
  const std::uint32_t row = 0;
  const float noise = 1;
  float mean = -1, variance = -1;
  Workspace<float> workspace(layers);
  engine.predict(beliefs, examples, {&row, 1}, {{&mean, 1}, {&variance, 1}}, workspace);
  EXPECT_EQ(mean, 0);
  EXPECT_EQ(variance, 0);
  mean = variance = -1;
  SweepRecord record;
  engine.learn(beliefs, examples, {&row, 1}, {{&noise, 1}}, {{&mean, 1}, {&variance, 1}}, workspace,
               record);
  EXPECT_EQ(mean, 0);
  EXPECT_EQ(variance, 0);
}
#endif

}  // namespace
}  // namespace postrider::network

#include "math/simd_level.h"

#include <gtest/gtest.h>

#include <cctype>
#include <set>
#include <string>

#include "postrider/error.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/simd_level_test.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target: this file is compiled once per target.
#include "hwy/highway.h"
#include "math/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {
namespace {

std::int64_t compiled_for() { return HWY_TARGET; }

}  // namespace
}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace postrider {
using namespace internal;
namespace {

HWY_EXPORT(compiled_for);

TEST(SimdLevel, BestComesFirst) {
  ASSERT_FALSE(SimdLevel::available().empty());
  EXPECT_EQ(SimdLevel::best(), SimdLevel::available().front());
}

TEST(SimdLevel, NamesAreLowerCaseAndUnique) {
  std::set<std::string> names;
  for (const SimdLevel level : SimdLevel::available()) {
    const std::string name = level.name();
    EXPECT_FALSE(name.empty());
    for (const char c : name) EXPECT_FALSE(std::isupper(static_cast<unsigned char>(c))) << name;
    EXPECT_TRUE(names.insert(name).second) << name << " twice";
  }
}

TEST(SimdLevel, IsFoundByItsName) {
  for (const SimdLevel level : SimdLevel::available())
    EXPECT_EQ(SimdLevel::named(level.name()), level) << level.name();
}

TEST(SimdLevel, AnUnknownNameIsRefusedWithThoseThatExist) {
  for (const char* wrong : {"", "AVX2", "avx1024", " sse4"}) {
    try {
      SimdLevel::named(wrong);
      FAIL() << "accepted '" << wrong << "'";
    } catch (const InvalidArgument& error) {
      const std::string message = error.what();
      const std::string begin = "simd level = \"" + std::string(wrong) + "\": must be one of ";
      EXPECT_EQ(message.substr(0, begin.size()), begin);
      for (const SimdLevel level : SimdLevel::available())
        EXPECT_NE(message.find(level.name(), begin.size()), std::string::npos) << message;
    }
  }
}

TEST(Dispatched, CallsTheVersionOfTheLevel) {
  for (const SimdLevel level : SimdLevel::available())
    EXPECT_EQ(dispatched(HWY_DISPATCH_TABLE(compiled_for), level)(), level.target())
        << level.name();
}

}  // namespace
}  // namespace postrider
#endif  // HWY_ONCE

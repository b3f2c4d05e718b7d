#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "complaint.h"
#include "rows.h"

namespace postrider::sparse {
using namespace internal;
namespace {

TEST(FeatureRows, KeysTellNamesApart) {
  std::set<std::uint64_t> keys;
  for (std::uint64_t index = 0; index < 1000; ++index) keys.insert(feature_key(index));
  for (const char* field : {"", "a", "b", "ab"})
    for (const char* name : {"", "a", "b", "bc", "017", "x17"})
      keys.insert(feature_key(field, name));
  keys.insert(feature_key("a", "17"));
  EXPECT_EQ(keys.size(), 1025U);
  EXPECT_EQ(feature_key("", "17"), feature_key(17));
  // Models depend on keys, which must never change: by the same steps in whole numbers of another language.
  EXPECT_EQ(feature_key(1), 0xe5fdc025e13eeed5U);
}

TEST(FeatureRows, FieldsHaveNumbers) {
  EXPECT_EQ(field_number(""), 0U);
  EXPECT_NE(field_number("user"), field_number("movie"));
  EXPECT_NE(field_number("user"), 0U);
}

TEST(FeatureRows, NamesWhatDoesNotFit) {
  FeatureRows rows;
  hashed::add_row(rows, {{1, 1}, {2, 1}}, 1);
  rows.validate(true);
  FeatureRows bad = rows;
  bad.values.pop_back();
  EXPECT_EQ(complaint([&] { bad.validate(true); }), "values = 1: must be as many as keys, 2");
  bad = rows;
  bad.ends[0] = 1;
  EXPECT_EQ(complaint([&] { bad.validate(true); }), "ends = 1: must end at the number of keys, 2");
  bad = rows;
  bad.targets.clear();
  bad.validate(false);
  EXPECT_EQ(complaint([&] { bad.validate(true); }), "targets = 0: must be one for each of 1 rows");
  for (const double wrong : {std::nan(""), 1e121, -HUGE_VAL}) {
    bad.targets = {wrong};
    EXPECT_NE(complaint([&] {
                bad.validate(true);
              }).find("must be a finite number, at most 1e120 in size"),
              std::string::npos);
  }
  bad = rows;
  bad.weights = {-1};
  EXPECT_EQ(complaint([&] { bad.validate(true); }),
            "weight of row 0 = -1: must be a finite number of at least 0");
  bad = rows;
  bad.fields = {1};
  EXPECT_EQ(complaint([&] { bad.validate(true); }),
            "fields = 1: must be none or as many as keys, 2");
}

}  // namespace
}  // namespace postrider::sparse

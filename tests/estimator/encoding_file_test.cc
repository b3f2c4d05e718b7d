#include "estimator/encoding_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "files.h"
#include "postrider/error.h"

namespace postrider {
using namespace internal;
namespace {

const InputEncoding kEncoding({{Encoding::piecewise, 1, 2, {0, 1, 3}},
                               {Encoding::standard, 5, 6},
                               {Encoding::bins, 7, 8, {2.5}, {1, 2, 3}}},
                              {0, 1, 2, 3, 4, 5, 6}, {1, 1, 1, 2, 2, 2, 3}, 1.5);

// The encoding in a file, after a change of its arrays.
InputEncoding stored(const std::function<void(EncodingArrays&)>& change) {
  const TemporaryFolder folder;
  const std::string path = folder.file("arrays");
  EncodingArrays arrays(kEncoding);
  change(arrays);
  std::vector<TensorView> tensors;
  arrays.for_each([&](const char* name, const std::vector<double>& values) {
    tensors.push_back(view_of<double>(name, {values.size()}, values));
  });
  write_safetensors(path, tensors, {});
  SafetensorsReader file(path);
  return read_encoding(file, Description(path, file.metadata()), Scales{});
}

bool is_refused(const std::function<void(EncodingArrays&)>& change) {
  try {
    stored(change);
  } catch (const CorruptFile&) {
    return true;
  }
  return false;
}

TEST(EncodingFile, KeepsAll) {
  const InputEncoding found = stored([](EncodingArrays&) {});
  EXPECT_EQ(found.columns(), kEncoding.columns());
  EXPECT_EQ(found.typical_means(), kEncoding.typical_means());
  EXPECT_EQ(found.typical_variances(), kEncoding.typical_variances());
  EXPECT_EQ(found.unit(), 1.5);
}

TEST(EncodingFile, NonsenseIsRefused) {
  EXPECT_FALSE(is_refused([](EncodingArrays&) {}));
  for (const double bad : {-1.0, 0.5, 4.0, std::nan(""), 1e300}) {
    EXPECT_TRUE(is_refused([&](EncodingArrays& arrays) { arrays.kinds[0] = bad; })) << bad;
    EXPECT_TRUE(is_refused([&](EncodingArrays& arrays) { arrays.knot_counts[0] = bad; })) << bad;
    EXPECT_TRUE(is_refused([&](EncodingArrays& arrays) { arrays.rank_counts[2] = bad; })) << bad;
  }
  EXPECT_TRUE(is_refused([](EncodingArrays& arrays) { arrays.units[1] = 0; }));
  EXPECT_TRUE(is_refused([](EncodingArrays& arrays) { arrays.knots[0] = 9; }));
  EXPECT_TRUE(is_refused([](EncodingArrays& arrays) { arrays.means.pop_back(); }));
  EXPECT_TRUE(is_refused([](EncodingArrays& arrays) { arrays.unit = {}; }));
  EXPECT_TRUE(is_refused([](EncodingArrays& arrays) { arrays.typical_means.pop_back(); }));
}

// As files of version 0.1 have it.
TEST(EncodingFile, WithoutItColumnsAreStandardised) {
  const TemporaryFolder folder;
  const std::string path = folder.file("arrays");
  const std::vector<double> values{1};
  write_safetensors(path, {view_of<double>("other", {1}, values)}, {});
  SafetensorsReader file(path);
  const InputEncoding found =
      read_encoding(file, Description(path, file.metadata()), Scales{{3}, {4}});
  EXPECT_EQ(found.columns(), (std::vector<ColumnEncoding>{{Encoding::standard, 3, 4}}));
  EXPECT_EQ(found.typical_variances(), std::vector<double>{1});
}

}  // namespace
}  // namespace postrider

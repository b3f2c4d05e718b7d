#include <gtest/gtest.h>

#include <fstream>

#include "files.h"
#include "postrider/error.h"
#include "postrider/sparse/model.h"

namespace postrider::sparse {
using namespace internal;
namespace {

// What is said of a file that is damaged.
std::string damage(const std::function<void()>& reading) {
  try {
    reading();
  } catch (const CorruptFile& error) {
    return error.what();
  }
  return "no complaint, line";
}

std::string written(const TemporaryFolder& folder, const std::string& text) {
  const std::string path = folder.file("rows.txt");
  std::ofstream(path) << text;
  return path;
}

TEST(FeatureFile, ReadsLibsvmInBlocks) {
  const TemporaryFolder folder;
  const std::string path = written(folder, "+1 1:1 4294967295:0.5 # said so\n-1\n1 2:3\n");
  FeatureFile file(path);
  FeatureRows rows;
  ASSERT_TRUE(file.read(rows, 2));
  EXPECT_EQ(rows.keys, (std::vector<std::uint64_t>{feature_key(1), feature_key(4294967295)}));
  EXPECT_EQ(rows.values, (std::vector<float>{1, 0.5}));
  EXPECT_EQ(rows.ends, (std::vector<std::size_t>{2, 2}));
  EXPECT_EQ(rows.targets, (std::vector<double>{1, -1}));
  ASSERT_TRUE(file.read(rows, 2));
  EXPECT_EQ(rows.keys, (std::vector<std::uint64_t>{feature_key(2)}));
  EXPECT_FALSE(file.read(rows, 2));
}

TEST(FeatureFile, TellsFormatsApart) {
  const TemporaryFolder folder;
  FeatureRows rows;
  ASSERT_TRUE(FeatureFile(written(folder, "1 |a b\n")).read(rows));
  EXPECT_EQ(rows.keys[0], feature_key("a", "b"));
  EXPECT_EQ(rows.fields[0], field_number("a"));
  // Rows without labels have no targets.
  ASSERT_TRUE(FeatureFile(written(folder, "1:2\n3:1\n")).read(rows));
  EXPECT_TRUE(rows.targets.empty());
  EXPECT_EQ(rows.size(), 2U);
  EXPECT_FALSE(FeatureFile(written(folder, "")).read(rows));
}

TEST(FeatureFile, NamesTheLineThatIsDamaged) {
  const TemporaryFolder folder;
  const auto complaint_about = [&](const std::string& text) {
    const std::string path = written(folder, text);
    const std::string full = damage([&] {
      FeatureRows rows;
      FeatureFile(path).read(rows);
    });
    return full.substr(full.find(", line"));
  };
  EXPECT_EQ(complaint_about("1 1:1\na 1:1\n"), ", line 2: the label \"a\" is not a number");
  EXPECT_EQ(complaint_about("1 1:1\n1 2:x\n"),
            ", line 2: the value of \"2:x\" must be a finite number");
  EXPECT_EQ(complaint_about("1 1:NA\n"), ", line 1: the value of index 1 is missing");
}

}  // namespace
}  // namespace postrider::sparse

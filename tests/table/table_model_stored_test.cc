// Models that earlier versions wrote must be read, and predict what they predicted then. The files come
// from stored/write.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "postrider/model_file.h"
#include "postrider/table_model.h"

namespace postrider {
namespace {

// Between instruction sets: the networks are in single precision.
constexpr double kRounding = 1e-5;

Table table_of(TableReader reader) {
  Table out;
  reader.next(out);
  return out;
}

std::vector<std::filesystem::path> releases() {
  std::vector<std::filesystem::path> out;
  for (const auto& entry : std::filesystem::directory_iterator(POSTRIDER_STORED))
    if (entry.is_directory()) out.push_back(entry.path());
  return out;
}

struct Stored {
  TableModel model;
  TableModel::Prediction found;
  Table expected;  // the columns that the command predict wrote

  Stored(const std::filesystem::path& release, const std::string& name)
      : model(TableModel::load((release / (name + ".safetensors")).string())),
        found(model.predict(
            table_of(TableReader((release / (name + ".rows.csv")).string(), model.schema())))),
        expected(table_of(TableReader((release / (name + ".predictions.csv")).string()))) {
    EXPECT_EQ(describe_model_file((release / (name + ".safetensors")).string()).writer,
              "postrider " + release.filename().string());
    // Checksums came after 0.1.0.
    EXPECT_EQ(describe_model_file((release / (name + ".safetensors")).string()).has_checksums,
              release.filename() != "0.1.0");
    EXPECT_EQ(found.rows, expected.rows());
    EXPECT_GT(found.rows, 0u);
  }

  double expected_at(const std::string& column, std::size_t row) const {
    return expected.column(expected.schema().find(column)).numbers.at(row);
  }
};

TEST(Stored, NumbersAreStillPredicted) {
  ASSERT_FALSE(releases().empty());
  for (const std::filesystem::path& release : releases()) {
    const Stored stored(release, "number");
    for (std::size_t row = 0; row < stored.found.rows; ++row) {
      const double deviation = stored.expected_at("deviation", row);
      EXPECT_NEAR(stored.found.mean[row], stored.expected_at("mean", row), kRounding * deviation);
      EXPECT_NEAR(stored.found.std[row], deviation, kRounding * deviation);
    }
  }
}

TEST(Stored, ClassesAreStillPredicted) {
  for (const std::filesystem::path& release : releases()) {
    const Stored stored(release, "classes");
    ASSERT_EQ(stored.model.classes(), (std::vector<std::string>{"inside", "outside"}));
    for (std::size_t row = 0; row < stored.found.rows; ++row)
      EXPECT_NEAR(stored.found.probabilities[2 * row + 1],
                  stored.expected_at("probability of outside", row), kRounding);
  }
}

}  // namespace
}  // namespace postrider

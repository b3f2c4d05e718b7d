#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "data/safetensors.h"
#include "files.h"
#include "postrider/error.h"
#include "rows.h"

namespace postrider::sparse {
using namespace internal;
namespace {

using hashed::part_of;
using hashed::random_rows;

TEST(SparseModelFile, GoesOnToTheBit) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.safetensors"), other = folder.file("b.safetensors");
  for (const SparseOptions::Target target :
       {SparseOptions::Target::logistic, SparseOptions::Target::number}) {
    const FeatureRows rows = random_rows(600, 1, target);
    SparseModel stayed({.target = target, .passes = 3, .seed = 5});
    stayed.update(part_of(rows, 0, 300));
    stayed.save(path);
    SparseModel back = SparseModel::load(path);
    back.save(other);
    EXPECT_EQ(bytes_of(path), bytes_of(other));
    EXPECT_EQ(back.options().target, target);
    EXPECT_EQ(back.options().passes, 3U);
    EXPECT_EQ(back.options().seed, 5U);
    EXPECT_EQ(back.summary().rows, 300U);
    stayed.fit(part_of(rows, 300, 600));
    back.fit(part_of(rows, 300, 600));
    const std::vector<SparseModel::Prediction> a = stayed.predict(rows), b = back.predict(rows);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      EXPECT_EQ(a[row].mean, b[row].mean);
      EXPECT_EQ(a[row].std, b[row].std);
      EXPECT_EQ(a[row].noise, b[row].noise);
    }
    EXPECT_EQ(stayed.summary().log_loss, back.summary().log_loss);
    EXPECT_EQ(stayed.summary().shares, back.summary().shares);
    stayed.save(path);
    back.save(other);
    EXPECT_EQ(bytes_of(path), bytes_of(other));
  }
}

TEST(SparseModelFile, KnowsWhereStreamsStand) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.safetensors");
  SparseModel model;
  EXPECT_TRUE(model.position("redis://host/clicks").empty());
  model.set_position("redis://host/clicks", {{"clicks", "17-0"}, {"more", "1-0"}});
  model.set_position("redis://host/clicks", {{"clicks", "18-0"}});
  model.set_position("kafka://host/clicks", {{"clicks/0", "5"}});
  model.save(path);
  const SparseModel back = SparseModel::load(path);
  EXPECT_EQ(back.position("redis://host/clicks"),
            (SparseModel::Partitions{{"clicks", "18-0"}, {"more", "1-0"}}));
  EXPECT_EQ(back.position("kafka://host/clicks"), (SparseModel::Partitions{{"clicks/0", "5"}}));
  EXPECT_TRUE(back.position("kafka://host/other").empty());
  EXPECT_EQ(back.sources(),
            (std::vector<std::string>{"kafka://host/clicks", "redis://host/clicks"}));
}

TEST(SparseModelFile, GoesOnDrifting) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.safetensors");
  const FeatureRows rows = random_rows(600, 1, SparseOptions::Target::logistic);
  SparseModel stayed({.passes = 2, .drift = true});
  // Rules that change every hundred rows leave the fastest rates alone.
  FeatureRows changing = random_rows(2000, 2, SparseOptions::Target::logistic);
  for (std::size_t row = 0; row < changing.size(); ++row)
    if (row / 100 % 2 == 1) changing.targets[row] = -changing.targets[row];
  stayed.update(changing);
  stayed.fit(part_of(rows, 0, 10));
  // Not all rates are there any more, and which ones the file must tell.
  ASSERT_LT(stayed.summary().drift_rates.size(), 8U);
  stayed.update(part_of(rows, 0, 300));
  stayed.save(path);
  SparseModel back = SparseModel::load(path);
  EXPECT_TRUE(back.options().drift);
  stayed.update(part_of(rows, 300, 600));
  back.update(part_of(rows, 300, 600));
  EXPECT_EQ(stayed.summary().shares, back.summary().shares);
  EXPECT_EQ(stayed.summary().drift_rates, back.summary().drift_rates);
  EXPECT_EQ(stayed.predict(rows)[7].mean, back.predict(rows)[7].mean);
}

TEST(SparseModelFile, KeepsLatentVectors) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.safetensors"), other = folder.file("b.safetensors");
  FeatureRows rows = random_rows(200, 1, SparseOptions::Target::number);
  for (std::size_t i = 0; i < rows.keys.size(); ++i)
    rows.fields.push_back(static_cast<std::uint32_t>(i % 5));
  SparseModel stayed({.target = SparseOptions::Target::number, .latent = 3});
  stayed.update(rows);
  stayed.save(path);
  SparseModel back = SparseModel::load(path);
  stayed.update(rows);
  back.update(rows);
  stayed.save(path);
  back.save(other);
  EXPECT_EQ(bytes_of(path), bytes_of(other));
  EXPECT_EQ(stayed.predict(rows)[7].mean, back.predict(rows)[7].mean);
}

TEST(SparseModelFile, RefusesOthersAndDamage) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.safetensors");
  SparseModel model;
  model.update(random_rows(50, 1, SparseOptions::Target::logistic));
  model.save(path);
  std::string bytes = bytes_of(path);
  bytes[bytes.size() - 9] = static_cast<char>(bytes[bytes.size() - 9] ^ 1);
  std::ofstream(path, std::ios::binary) << bytes;
  EXPECT_THROW(SparseModel::load(path), CorruptFile);
  std::ofstream(path, std::ios::binary) << "not a model at all";
  EXPECT_THROW(SparseModel::load(path), CorruptFile);
  EXPECT_THROW(SparseModel::load(folder.file("none")), FileError);
}

// A file whose checksums fit, and which says this of its first weight or of a number that all share.
void forge(const std::string& path, const std::string& array, std::size_t place, double value) {
  SafetensorsReader file(path);
  std::vector<std::vector<float>> floats;
  std::vector<std::vector<double>> doubles;
  std::vector<std::vector<std::uint32_t>> keys;
  std::vector<TensorView> tensors;
  floats.reserve(2);
  doubles.reserve(8);
  keys.reserve(2);
  std::map<std::string, std::string> metadata;
  for (const auto& [key, text] : file.metadata())
    if (!key.starts_with("checksum")) metadata[key] = text;
  for (const std::string name : {"numbers", "lanes.prior", "lanes.log_score", "lanes.drift",
                                 "lanes.bias_mean", "lanes.bias_variance", "lanes.noise_mean",
                                 "lanes.noise_variance", "weights.key", "weights.belief"}) {
    const std::vector<std::size_t> shape = file.shape(name);
    std::size_t count = 1;
    for (const std::size_t of : shape) count *= of;
    const auto read = [&](auto& arrays) {
      auto& to = arrays.emplace_back(count);
      using T = typename std::decay_t<decltype(to)>::value_type;
      file.read<T>(name, shape, std::span(to));
      if (name == array) to[place] = static_cast<T>(value);
      tensors.push_back(view_of<T>(name, shape, std::span<const T>(to)));
    };
    if (name == "weights.key")
      read(keys);
    else if (name == "weights.belief")
      read(floats);
    else
      read(doubles);
  }
  write_safetensors(path, tensors, metadata);
}

TEST(SparseModelFile, RefusesNumbersThatRowsCannotTeach) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.safetensors");
  const FeatureRows rows = random_rows(50, 1, SparseOptions::Target::number);
  SparseModel model(SparseOptions{.target = SparseOptions::Target::number});
  model.update(rows);
  const auto forged = [&](const std::string& array, std::size_t place, double value) {
    model.save(path);
    forge(path, array, place, value);
    return path;
  };
  EXPECT_EQ(SparseModel::load(forged("numbers", 2, 60)).predict(rows).size(), rows.size())
      << "a file that is forged, and in bounds";
  for (const double value : {-3.4e38, 3.4e38, 2e12})
    EXPECT_THROW(SparseModel::load(forged("weights.belief", 0, value)), CorruptFile) << value;
  const std::vector<std::pair<std::string, double>> others{
      {"lanes.bias_mean", 1e300}, {"lanes.bias_variance", 1e300}, {"lanes.prior", 1e300},
      {"lanes.noise_mean", 1e4},  {"lanes.noise_variance", 1e4},  {"numbers", 1e300}};
  for (const auto& [name, value] : others)
    EXPECT_THROW(SparseModel::load(forged(name, 0, value)), CorruptFile) << name;
}

}  // namespace
}  // namespace postrider::sparse

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "files.h"
#include "postrider/error.h"
#include "postrider/sparse/shards.h"
#include "rows.h"

namespace postrider::sparse {
using namespace internal;
namespace {

using hashed::part_of;
using hashed::random_rows;

// Owners and the batches that they learn from: two batches from the same beliefs in each round.
class Owners {
 public:
  Owners(std::size_t count, const SparseOptions& options, const SparseBatch::Units& units)
      : options_(options), units_(units) {
    for (std::size_t i = 0; i < count; ++i) owners_.emplace_back(options, units);
  }

  void learn(const FeatureRows& rows, std::size_t batch) {
    for (std::size_t at = 0; at < rows.size(); at += 2 * batch) {
      const SparseBatch a(options_, units_, part_of(rows, at, at + batch)),
          b(options_, units_, part_of(rows, at + batch, at + 2 * batch));
      const SparseBatch::Changes of_a = asked(a), of_b = asked(b);
      std::size_t weights = 0;
      for (const SparseOwner& owner : owners_) weights += owner.size();
      told(b, of_b);
      told(a, of_a);
      owners_[0].add_shared(of_a.shared, weights);
      owners_[0].add_shared(of_b.shared, weights);
    }
  }

  std::vector<std::string> save(const TemporaryFolder& folder, const std::string& note) const {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < owners_.size(); ++i) {
      out.push_back(folder.file("owner" + std::to_string(i)));
      owners_[i].save(out.back(), note);
    }
    return out;
  }

 private:
  std::vector<std::uint64_t> keys_of(const SparseBatch& batch, std::size_t owner) const {
    std::vector<std::uint64_t> out;
    for (const std::uint64_t key : batch.keys())
      if (owner_of(key, owners_.size()) == owner) out.push_back(key);
    return out;
  }
  SparseBatch::Changes asked(const SparseBatch& batch) const {
    std::vector<float> beliefs;
    for (const std::uint64_t key : batch.keys()) {
      const auto one = owners_[owner_of(key, owners_.size())].beliefs(std::vector{key});
      beliefs.insert(beliefs.end(), one.begin(), one.end());
    }
    return batch.learn(beliefs, owners_[0].shared());
  }
  void told(const SparseBatch& batch, const SparseBatch::Changes& changes) {
    const std::size_t stride = changes.weights.size() / batch.keys().size();
    for (std::size_t owner = 0; owner < owners_.size(); ++owner) {
      std::vector<std::int64_t> own;
      for (std::size_t i = 0; i < batch.keys().size(); ++i)
        if (owner_of(batch.keys()[i], owners_.size()) == owner)
          own.insert(own.end(), changes.weights.begin() + static_cast<std::ptrdiff_t>(i * stride),
                     changes.weights.begin() + static_cast<std::ptrdiff_t>((i + 1) * stride));
      owners_[owner].add(keys_of(batch, owner), own);
    }
  }

  SparseOptions options_;
  SparseBatch::Units units_;
  std::vector<SparseOwner> owners_;
};

TEST(OwnerFile, IsTheSameToTheByteWhenRead) {
  const TemporaryFolder folder;
  const FeatureRows rows = random_rows(200, 1, SparseOptions::Target::number);
  Owners owners(2, {.target = SparseOptions::Target::number},
                sparse_units(rows, SparseOptions::Target::number));
  owners.learn(rows, 20);
  const auto paths = owners.save(folder, "round 5");
  SparseOwner back = SparseOwner::load(paths[0]);
  EXPECT_EQ(back.note(), "round 5");
  back.save(folder.file("again"), "round 5");
  EXPECT_EQ(bytes_of(folder.file("again")), bytes_of(paths[0]));
  // And with fewer models.
  back.keep(0b11);
  back.save(folder.file("narrow"), "");
  SparseOwner::load(folder.file("narrow")).save(folder.file("again"), "");
  EXPECT_EQ(bytes_of(folder.file("again")), bytes_of(folder.file("narrow")));
}

// The number of owners changes nothing; and two batches at a time are nearly as good as one row after the other.
TEST(OwnerFile, OwnersAreGathered) {
  const TemporaryFolder folder;
  const SparseOptions options{};
  const FeatureRows rows = random_rows(2000, 1, options.target),
                    test = random_rows(1000, 2, options.target);
  const SparseBatch::Units units = sparse_units(rows, options.target);
  std::string bytes;
  for (const std::size_t count : {std::size_t{1}, std::size_t{2}, std::size_t{3}}) {
    Owners owners(count, options, units);
    owners.learn(rows, 10);
    auto paths = owners.save(folder, "");
    std::reverse(paths.begin(), paths.end());
    gather_owners(paths).save(folder.file("model"));
    if (count == 1) bytes = bytes_of(folder.file("model"));
    EXPECT_EQ(bytes_of(folder.file("model")), bytes);
  }
  SparseModel in_one_place(options);
  in_one_place.update(rows);
  const auto loss = [&](const SparseModel& model) {
    double sum = 0;
    const auto predicted = model.predict(test);
    for (std::size_t row = 0; row < test.size(); ++row)
      sum -= std::log(test.targets[row] > 0 ? predicted[row].probability
                                            : 1 - predicted[row].probability);
    return sum / static_cast<double>(test.size());
  };
  const SparseModel gathered = SparseModel::load(folder.file("model"));
  EXPECT_EQ(gathered.summary().rows, 2000U);
  EXPECT_EQ(gathered.summary().weights, in_one_place.summary().weights);
  EXPECT_NEAR(loss(gathered), loss(in_one_place), 0.005);
}

TEST(OwnerFile, RefusesOwnersThatDoNotBelongTogether) {
  const TemporaryFolder folder;
  const FeatureRows rows = random_rows(40, 1, SparseOptions::Target::logistic);
  Owners owners(2, {}, {});
  owners.learn(rows, 10);
  const auto paths = owners.save(folder, "round 5");
  SparseOwner::load(paths[1]).save(folder.file("later"), "round 6");
  EXPECT_THROW(gather_owners({paths[0], folder.file("later")}), CorruptFile);
  EXPECT_THROW(gather_owners({paths[0], paths[0]}), CorruptFile);
  EXPECT_THROW(gather_owners({}), InvalidArgument);
  SparseOwner({}, {.input_square = 2}).save(folder.file("other"), "round 5");
  EXPECT_THROW(gather_owners({paths[0], folder.file("other")}), CorruptFile);
  EXPECT_THROW(SparseModel::load(paths[0]), CorruptFile);
}

}  // namespace
}  // namespace postrider::sparse

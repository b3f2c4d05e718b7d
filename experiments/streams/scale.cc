// How a sparse model grows: rows with inputs that were never seen, then rows with random ones of those.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>

#include "base/random.h"
#include "parts.h"
#include "postrider/sparse/model.h"

namespace postrider::experiments {
using namespace internal;
namespace {

constexpr std::size_t kInputs = 20, kRowsOfBlock = 5000, kTouches = 2'000'000;
// As claimed: 2.4 GB at 10^8 weights.
constexpr double kMostBytesPerWeight = 24;

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The most memory that this process ever had; 0 where the system does not tell.
double most_resident() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmHWM:") {
      double kilobytes = 0;
      status >> kilobytes;
      return 1024 * kilobytes;
    }
  return 0;
}

class Growth {
 public:
  explicit Growth(std::uint64_t seed) : random_(seed, 0) {}

  // Nanoseconds per weight of rows whose inputs are all new.
  double add_until(std::size_t weights) {
    double spent = 0;
    const std::size_t before = known_;
    while (known_ < weights)
      spent +=
          learn(std::min(kRowsOfBlock, (weights - known_) / kInputs), [&] { return known_++; });
    return 1e9 * spent / static_cast<double>(known_ - before);
  }
  // The same of rows whose inputs are known.
  double touch() {
    double spent = 0;
    for (std::size_t touched = 0; touched < kTouches; touched += kRowsOfBlock * kInputs)
      spent += learn(kRowsOfBlock, [&] { return random_.below(known_); });
    return 1e9 * spent / static_cast<double>(kTouches);
  }
  sparse::SparseModel::Summary summary() const { return model_.summary(); }

 private:
  template <class Next>
  double learn(std::size_t count, Next&& next) {
    sparse::FeatureRows rows;
    for (std::size_t row = 0; row < count; ++row) {
      for (std::size_t i = 0; i < kInputs; ++i) rows.keys.push_back(sparse::feature_key(next()));
      rows.ends.push_back(rows.keys.size());
      rows.targets.push_back(random_.uniform() < 0.1 ? 1 : 0);
    }
    rows.values.assign(rows.keys.size(), 1);
    const double begin = seconds();
    model_.update(rows);
    return seconds() - begin;
  }

  sparse::SparseModel model_;
  RandomStream random_;
  std::uint64_t known_ = 0;
};

}  // namespace

Part scale(const Settings& settings) {
  Part part{"scale", {}, {}, {}};
  std::vector<Object> rows;
  bool within = true;
  Growth growth(settings.seed);
  const std::size_t most = settings.quick ? 2'000'000 : 100'000'000;
  for (const std::size_t weights :
       {100'000UL, 1'000'000UL, 2'000'000UL, 10'000'000UL, 100'000'000UL}) {
    if (weights > most || (weights == 2'000'000 && !settings.quick)) continue;
    const double added = growth.add_until(weights), touched = growth.touch();
    const sparse::SparseModel::Summary summary = growth.summary();
    const auto count = static_cast<double>(summary.weights);
    fmt::print(
        "  {:.0e} weights: {:.1f} MB, at most {:.1f} MB, {:.0f} ns per weight, new ones {:.0f} "
        "ns\n",
        count, 1e-6 * static_cast<double>(summary.bytes),
        1e-6 * static_cast<double>(summary.most_bytes), touched, added);
    const bool is_settled = summary.shares.size() == 1;
    if (is_settled && weights >= 10'000'000)
      within = within && static_cast<double>(summary.most_bytes) <= kMostBytesPerWeight * count;
    rows.push_back({{"weights", {static_cast<std::int64_t>(summary.weights)}},
                    {"models_side_by_side", {static_cast<std::int64_t>(summary.shares.size())}},
                    {"bytes", {static_cast<std::int64_t>(summary.most_bytes)}},
                    {"bytes_after", {static_cast<std::int64_t>(summary.bytes)}},
                    {"resident_bytes", {most_resident()}},
                    {"ns_per_weight", {touched}},
                    {"ns_per_new_weight", {added}}});
  }
  part.claims.push_back({"from 10^7 weights on at most 24 bytes each, growth included", within});
  part.list = std::move(rows);
  return part;
}

}  // namespace postrider::experiments

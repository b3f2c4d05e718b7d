#include "estimator/member_folds.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <unordered_map>

#include "base/shuffle.h"

namespace postrider::internal {
namespace {

// More learn a little more each, and leave fewer rows to tell how far networks that leave out the same rows differ.
constexpr std::size_t kMostFolds = 8;
// Where more rows than this share are copies of others, rows are few kinds that naturally repeat: to leave out all of a kind
// would ask for what cannot be known.
constexpr double kMostCopies = 0.5;
// A stream of the seed's random numbers that nobody else uses.
constexpr std::uint64_t kMemberFoldStream = 0xf01d5, kMemberGroupStream = 0x6409f01d5;

// Rows that stay together.
struct Bundle {
  std::vector<std::uint32_t> rows;
  std::size_t stratum = 0;  // the class of the first
};

// FNV-1a over whole numbers, with a last mixing so that all bits count.
std::uint64_t mixed(std::uint64_t hash, std::uint64_t with) {
  hash = (hash ^ with) * 0x100000001b3u;
  return hash ^ (hash >> 29);
}

std::uint64_t bits_of(double value) {
  return std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value);
}

std::vector<Bundle> bundled(std::span<const std::uint32_t> names) {
  std::unordered_map<std::uint32_t, std::size_t> places;
  std::vector<Bundle> out;
  for (std::size_t row = 0; row < names.size(); ++row) {
    const auto [at, is_new] = places.emplace(names[row], out.size());
    if (is_new) out.emplace_back();
    out[at->second].rows.push_back(static_cast<std::uint32_t>(row));
  }
  return out;
}

std::vector<Bundle> bundles_of(const Examples& rows) {
  if (!rows.groups.empty()) return bundled(rows.groups);
  const std::vector<std::uint32_t> firsts = first_copies(rows);
  std::vector<Bundle> out = bundled(firsts);
  const auto copies = static_cast<double>(rows.count() - out.size());
  if (copies <= kMostCopies * static_cast<double>(rows.count())) return out;
  std::vector<std::uint32_t> apart(rows.count());
  std::iota(apart.begin(), apart.end(), 0u);
  return bundled(apart);
}

// The largest first, each to the fold that has the fewest rows of its class, and of those to that with the fewest rows.
std::vector<std::vector<std::uint32_t>> dealt(std::vector<Bundle> bundles, std::size_t folds) {
  std::ranges::stable_sort(bundles, std::greater{}, [](const Bundle& b) { return b.rows.size(); });
  std::size_t strata = 1;
  for (const Bundle& bundle : bundles) strata = std::max(strata, bundle.stratum + 1);
  std::vector<std::size_t> counts(folds * strata);
  std::vector<std::vector<std::uint32_t>> out(folds);
  for (const Bundle& bundle : bundles) {
    const auto load = [&](std::size_t fold) {
      return std::pair(counts[fold * strata + bundle.stratum], out[fold].size());
    };
    std::size_t least = 0;
    for (std::size_t fold = 1; fold < folds; ++fold)
      if (load(fold) < load(least)) least = fold;
    out[least].insert(out[least].end(), bundle.rows.begin(), bundle.rows.end());
    counts[least * strata + bundle.stratum] += bundle.rows.size();
  }
  return out;
}

}  // namespace

std::vector<std::uint32_t> first_copies(const Examples& rows) {
  std::vector<std::uint64_t> hashes(rows.count(), 0xcbf29ce484222325u);
  rows.inputs.for_each([&](std::size_t row, std::size_t column, double value) {
    if (value != 0)  // sparse rows need not hold them
      hashes[row] = mixed(mixed(hashes[row], column), bits_of(value));
  });
  const std::size_t targets = rows.targets.size() / rows.count();
  for (std::size_t i = 0; i < rows.targets.size(); ++i)
    hashes[i / targets] = mixed(hashes[i / targets], bits_of(rows.targets[i]));
  std::unordered_map<std::uint64_t, std::uint32_t> seen;
  std::vector<std::uint32_t> out;
  for (std::size_t row = 0; row < rows.count(); ++row)
    out.push_back(seen.emplace(hashes[row], static_cast<std::uint32_t>(row)).first->second);
  return out;
}

MemberFolds::MemberFolds(const Examples& rows, ModelKind kind, std::size_t members,
                         std::uint64_t seed, std::span<const std::uint32_t> never) {
  std::vector<Bundle> bundles = bundles_of(rows);
  std::vector<bool> is_never(rows.count());
  for (const std::uint32_t row : never) is_never[row] = true;
  std::erase_if(bundles, [&](const Bundle& bundle) {
    return std::ranges::any_of(bundle.rows, [&](std::uint32_t row) { return is_never[row]; });
  });
  const std::size_t folds = std::min(kMostFolds, bundles.size());
  if (folds < 2) return;
  if (kind == ModelKind::classifier)
    for (Bundle& bundle : bundles)
      bundle.stratum = static_cast<std::size_t>(rows.targets[bundle.rows.front()]);
  RandomStream random(seed, kMemberFoldStream);
  while (of_members_.size() < members) {
    shuffle_in_place(bundles, random);
    for (std::vector<std::uint32_t>& fold : dealt(bundles, folds)) {
      std::ranges::sort(fold);
      if (of_members_.size() < members) of_members_.push_back(std::move(fold));
    }
  }
}

std::span<const std::uint32_t> MemberFolds::left_out_by(std::size_t member) const {
  if (of_members_.empty()) return {};
  return of_members_[member];
}

namespace {

// Groups of eight numbers in a row are in eight folds, in an order that is drawn for them.
std::vector<std::uint32_t> left_out_by_group(std::size_t member, std::uint64_t seed,
                                             std::span<const std::uint32_t> groups) {
  const std::uint64_t own_seed =
      RandomStream(seed, kMemberGroupStream + member / kMostFolds).next_bits();
  std::vector<std::uint32_t> out;
  for (std::size_t row = 0; row < groups.size(); ++row) {
    RandomStream random(own_seed, groups[row] / kMostFolds);
    if (random_order(kMostFolds, random)[groups[row] % kMostFolds] == member % kMostFolds)
      out.push_back(static_cast<std::uint32_t>(row));
  }
  return out;
}

}  // namespace

std::vector<std::uint32_t> left_out_of_shard(std::size_t rows, std::size_t member,
                                             std::uint64_t shard, std::uint64_t seed,
                                             std::span<const std::uint32_t> groups) {
  if (!groups.empty()) return left_out_by_group(member, seed, groups);
  // Shards of few rows begin with different folds, so that all folds have rows.
  const std::uint64_t own_seed = RandomStream(seed, kMemberFoldStream + 1 + shard).next_bits();
  RandomStream random(own_seed, member / kMostFolds);
  const std::size_t first = random.below(kMostFolds);
  const std::vector<std::size_t> order = random_order(rows, random);
  std::vector<std::uint32_t> out;
  for (std::size_t k = 0; k < rows; ++k)
    if ((first + k) % kMostFolds == member % kMostFolds)
      out.push_back(static_cast<std::uint32_t>(order[k]));
  std::ranges::sort(out);
  return out;
}

}  // namespace postrider::internal

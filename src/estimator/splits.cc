#include "postrider/splits.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <string>

#include "base/shuffle.h"
#include "estimator/cross_validation.h"
#include "postrider/error.h"

namespace postrider {
using namespace internal;
namespace {

// Stretches of time, some of which each network leaves out.
constexpr std::size_t kStretches = 32;
// A stream of the seed's random numbers that nobody else uses.
constexpr std::uint64_t kGroupStream = 0x6409;

void expect_share(double share) {
  if (!(share > 0 && share < 1)) reject("validation", share, "must be above 0 and below 1");
}

[[noreturn]] void refuse_empty(double share, const std::string& what) {
  reject("validation", share, "leaves one part of " + what + " empty");
}

// The rows for which this is true are left out.
template <class IsLeftOut>
Fold fold_of(std::size_t rows, IsLeftOut&& is_left_out) {
  Fold out;
  for (std::size_t row = 0; row < rows; ++row)
    (is_left_out(row) ? out.left_out : out.learned).push_back(row);
  return out;
}

std::vector<std::size_t> order_of(std::span<const double> times) {
  for (const double time : times)
    if (!std::isfinite(time)) reject("time", time, "must be finite numbers");
  std::vector<std::size_t> out(times.size());
  std::iota(out.begin(), out.end(), std::size_t{0});
  std::ranges::stable_sort(out, {}, [&](std::size_t row) { return times[row]; });
  return out;
}

// The place in the order, near this one, before which a part may end: between two different times. Of two that are
// equally near the later one, so that more is learned.
std::size_t cut_near(std::span<const double> times, const std::vector<std::size_t>& order,
                     std::size_t place) {
  const auto is_cut = [&](std::size_t at) {
    return at == 0 || at == order.size() || times[order[at - 1]] != times[order[at]];
  };
  for (std::size_t away = 0; away <= order.size(); ++away) {
    if (place + away <= order.size() && is_cut(place + away)) return place + away;
    if (away <= place && is_cut(place - away)) return place - away;
  }
  return order.size();
}

struct Group {
  std::vector<std::size_t> rows;
};

// In an order that the seed decides.
std::vector<Group> groups_of(std::span<const std::string> names, std::uint64_t seed) {
  std::map<std::string_view, std::size_t> places;
  std::vector<Group> found;
  for (std::size_t row = 0; row < names.size(); ++row) {
    const auto [at, is_new] = places.emplace(names[row], found.size());
    if (is_new) found.emplace_back();
    found[at->second].rows.push_back(row);
  }
  RandomStream random(seed, kGroupStream);
  std::vector<Group> out;
  for (const std::size_t g : random_order(found.size(), random)) out.push_back(std::move(found[g]));
  return out;
}

Fold without(const std::vector<bool>& is_left_out) {
  return fold_of(is_left_out.size(), [&](std::size_t row) { return is_left_out[row]; });
}

Fold grouped_by_time(Fold fold, std::span<const double> times) {
  fold.groups = groups_of_times(picked(times, fold.learned, 1));
  return fold;
}

Fold grouped_by_name(Fold fold, std::span<const std::string> names) {
  fold.groups = groups_of_names(picked(names, fold.learned, 1));
  return fold;
}

}  // namespace

Fold split_at_random(std::size_t rows, double share, std::uint64_t seed) {
  expect_share(share);
  std::vector<std::size_t> order(rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(seed);
  // std::shuffle may differ between standard libraries; a split must not.
  for (std::size_t left = rows; left > 1; --left)
    std::swap(order[left - 1], order[random() % left]);
  const auto held = static_cast<std::size_t>(std::round(share * static_cast<double>(rows)));
  if (held == 0 || held == rows) refuse_empty(share, std::to_string(rows) + " rows");
  std::vector<bool> is_left_out(rows);
  for (std::size_t k = 0; k < held; ++k) is_left_out[order[k]] = true;
  return without(is_left_out);
}

Fold split_by_time(std::span<const double> times, double share) {
  expect_share(share);
  const std::vector<std::size_t> order = order_of(times);
  const auto wanted =
      static_cast<std::size_t>(std::round((1 - share) * static_cast<double>(order.size())));
  const std::size_t cut = cut_near(times, order, wanted);
  if (cut == 0 || cut == order.size())
    refuse_empty(share, std::to_string(order.size()) + " rows, in order of their times,");
  std::vector<bool> is_left_out(order.size());
  for (std::size_t k = cut; k < order.size(); ++k) is_left_out[order[k]] = true;
  return grouped_by_time(without(is_left_out), times);
}

Fold split_by_group(std::span<const std::string> names, double share, std::uint64_t seed) {
  expect_share(share);
  const std::vector<Group> groups = groups_of(names, seed);
  const double wanted = share * static_cast<double>(names.size());
  std::vector<bool> is_left_out(names.size());
  double held = 0;
  std::size_t taken = 0;
  for (const Group& group : groups) {
    const auto more = static_cast<double>(group.rows.size());
    // Nearer with it than without; the first is always taken, the last never.
    if (taken > 0 && std::abs(held + more - wanted) >= std::abs(held - wanted)) continue;
    if (taken + 1 == groups.size()) break;
    for (const std::size_t row : group.rows) is_left_out[row] = true;
    held += more;
    ++taken;
  }
  if (taken == 0) refuse_empty(share, std::to_string(groups.size()) + " group");
  return grouped_by_name(without(is_left_out), names);
}

std::vector<Fold> folds_by_time(std::span<const double> times, std::size_t folds) {
  const std::vector<std::size_t> order = order_of(times);
  if (folds < 2) reject("folds", folds, "must be at least 2");
  std::vector<std::size_t> cuts;
  for (std::size_t part = 1; part <= folds; ++part)
    cuts.push_back(cut_near(times, order, part * order.size() / (folds + 1)));
  cuts.push_back(order.size());
  std::vector<Fold> out;
  for (std::size_t k = 0; k < folds; ++k) {
    if (cuts[k] == 0 || cuts[k] >= cuts[k + 1])
      reject("folds", folds, "must be fewer than there are different times");
    Fold fold;
    const auto begin = order.begin(), first = begin + static_cast<std::ptrdiff_t>(cuts[k]);
    fold.learned.assign(begin, first);
    fold.left_out.assign(first, begin + static_cast<std::ptrdiff_t>(cuts[k + 1]));
    std::ranges::sort(fold.learned);
    std::ranges::sort(fold.left_out);
    out.push_back(grouped_by_time(std::move(fold), times));
  }
  return out;
}

std::vector<Fold> folds_by_group(std::span<const std::string> names, std::size_t folds,
                                 std::uint64_t seed) {
  std::vector<Group> groups = groups_of(names, seed);
  if (folds < 2 || folds > groups.size())
    reject(
        "folds", folds,
        "must be at least 2, and at most the number of groups, " + std::to_string(groups.size()));
  std::ranges::stable_sort(groups, std::greater(),
                           [](const Group& group) { return group.rows.size(); });
  std::vector<std::size_t> sizes(folds), place(names.size());
  for (const Group& group : groups) {
    const auto smallest = static_cast<std::size_t>(std::ranges::min_element(sizes) - sizes.begin());
    sizes[smallest] += group.rows.size();
    for (const std::size_t row : group.rows) place[row] = smallest;
  }
  std::vector<Fold> out;
  for (std::size_t k = 0; k < folds; ++k)
    out.push_back(grouped_by_name(
        fold_of(names.size(), [&](std::size_t row) { return place[row] == k; }), names));
  return out;
}

std::vector<std::uint32_t> groups_of_names(std::span<const std::string> names) {
  std::map<std::string_view, std::uint32_t> numbers;
  std::vector<std::uint32_t> out;
  for (const std::string& name : names)
    out.push_back(numbers.emplace(name, static_cast<std::uint32_t>(numbers.size())).first->second);
  return out;
}

std::vector<std::uint32_t> groups_of_times(std::span<const double> times) {
  const std::vector<std::size_t> order = order_of(times);
  std::vector<std::uint32_t> out(times.size());
  for (std::size_t place = 0; place < order.size(); ++place)
    out[order[place]] = static_cast<std::uint32_t>(place * kStretches / order.size());
  return out;
}

}  // namespace postrider

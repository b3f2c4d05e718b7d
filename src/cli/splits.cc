#include "cli/splits.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "cli/text_table.h"
#include "postrider/error.h"

namespace postrider::cli {
namespace {

// Stretches of time, some of which each network leaves out.
constexpr std::size_t kStretches = 32;

// The library names its fields, the command line its options.
template <class Call>
auto as_option(Call&& call) {
  try {
    return call();
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(std::string("--") + error.what());
  }
}

}  // namespace

std::vector<std::string> key_texts(const Table& table, std::size_t which) {
  std::vector<std::string> out;
  for (std::size_t row = 0; row < table.rows(); ++row) out.push_back(table.key(which, row));
  return out;
}

void SplitRequest::expect_possible() const {
  if (!(validation >= 0 && validation < 1))
    reject("--validation", validation, "must be at least 0 and below 1");
  if (!time.empty() && !group.empty())
    reject("--group", group, "does not go with --time; ask for one of both");
}

Splitter::Splitter(const SplitRequest& request, const Table& table, std::size_t user_keys,
                   std::uint64_t seed)
    : request_(request), rows_(table.rows()), seed_(seed) {
  if (!request.time.empty()) {
    time_texts_ = key_texts(table, user_keys);
    times_ = as_option([&] { return times_of(request.time, time_texts_); });
  } else if (!request.group.empty()) {
    groups_ = key_texts(table, user_keys);
  }
}

Split Splitter::held_out() const {
  return as_option([&]() -> Split {
    if (!times_.empty()) {
      Split out{split_by_time(times_, request_.validation), ""};
      const std::size_t first = *std::ranges::min_element(
          out.fold.left_out, {}, [&](std::size_t row) { return times_[row]; });
      out.words = fmt::format(" by time, from {} {} on", request_.time, time_texts_[first]);
      return out;
    }
    if (groups_.empty()) return {split_at_random(rows_, request_.validation, seed_), " at random"};
    Split out{split_by_group(groups_, request_.validation, seed_), ""};
    const std::set<std::string> all(groups_.begin(), groups_.end());
    std::set<std::string> left_out;
    for (const std::size_t row : out.fold.left_out) left_out.insert(groups_[row]);
    out.words = fmt::format(" by group, {} of {} values of {}", left_out.size(), all.size(),
                            request_.group);
    return out;
  });
}

std::vector<Fold> Splitter::folds() const {
  return as_option([&] {
    return times_.empty() ? folds_by_group(groups_, request_.folds, seed_)
                          : folds_by_time(times_, request_.folds);
  });
}

std::string Splitter::words_of_folds() const {
  if (!times_.empty())
    return fmt::format(" by time: each fold learns what came before it by {}", request_.time);
  if (!groups_.empty())
    return fmt::format(" by group: no value of {} is both learned and predicted", request_.group);
  return "";
}

std::vector<std::uint32_t> Splitter::together(std::span<const std::size_t> rows) const {
  std::vector<std::uint32_t> out(is_by_rows() ? 0 : rows.size());
  if (!groups_.empty()) {
    std::map<std::string_view, std::uint32_t> numbers;
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = numbers.emplace(groups_[rows[i]], static_cast<std::uint32_t>(numbers.size()))
                   .first->second;
  } else if (!times_.empty()) {
    std::vector<std::size_t> order(rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return times_[rows[i]]; });
    for (std::size_t place = 0; place < order.size(); ++place)
      out[order[place]] = static_cast<std::uint32_t>(place * kStretches / order.size());
  }
  return out;
}

}  // namespace postrider::cli

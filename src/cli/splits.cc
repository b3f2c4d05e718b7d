#include "cli/splits.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "postrider/error.h"
#include "text/text_table.h"

namespace postrider::cli {
namespace {

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
    time_texts_ = table.keys(user_keys);
    times_ = as_option([&] { return times_of(request.time, time_texts_); });
  } else if (!request.group.empty()) {
    groups_ = table.keys(user_keys);
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

std::vector<std::uint32_t> Splitter::groups() const {
  return times_.empty() ? groups_of_names(groups_) : groups_of_times(times_);
}

}  // namespace postrider::cli

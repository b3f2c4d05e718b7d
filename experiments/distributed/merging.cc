// Two runs, each with half of the rows, merged and refreshed, beside training with all rows.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/workers.h"
#include "parts.h"
#include "postrider/distributed/parts.h"
#include "postrider/regressor.h"
#include "spread_trial.h"

namespace postrider::experiments {
using namespace internal;
namespace {

constexpr std::size_t kHalf = 4, kShards = 2 * kHalf;

enum class Cut { at_random, by_an_input };
const char* name_of(Cut cut) { return cut == Cut::at_random ? "at random" : "by the first input"; }

// Log-likelihoods of the test rows.
struct Likelihoods {
  double first = 0, second = 0;  // each half alone
  double merged = 0;             // and not refreshed
  std::vector<double> refreshed;
  double to_the_end = 0, all_rows = 0;
  double epochs_to_the_end = 0, epochs_all_rows = 0;

  void add(const Likelihoods& more, double share) {
    refreshed.resize(more.refreshed.size());
    for (std::size_t i = 0; i < refreshed.size(); ++i) refreshed[i] += share * more.refreshed[i];
    for (const auto number :
         {&Likelihoods::first, &Likelihoods::second, &Likelihoods::merged, &Likelihoods::to_the_end,
          &Likelihoods::all_rows, &Likelihoods::epochs_to_the_end, &Likelihoods::epochs_all_rows})
      this->*number += share * (more.*number);
  }
};

// With an order of rows in which the halves lie one after the other. Rows of the sets come in no order.
Rows cut(const Rows& rows, Cut how) {
  if (how == Cut::at_random) return rows;
  const std::size_t columns = rows.inputs.size() / rows.targets.size();
  std::vector<std::size_t> order(rows.targets.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return rows.inputs[i * columns]; });
  Rows out;
  for (const std::size_t i : order) {
    const auto begin = rows.inputs.begin() + static_cast<std::ptrdiff_t>(i * columns);
    out.inputs.insert(out.inputs.end(), begin, begin + static_cast<std::ptrdiff_t>(columns));
    out.targets.push_back(rows.targets[i]);
  }
  return out;
}

// However few the rows: runs of other widths cannot be merged.
EstimatorOptions of_one_width(std::uint64_t seed) {
  EstimatorOptions out = one_network(seed);
  out.weights_per_example = 0;
  return out;
}

class Merging {
 public:
  Merging(const Rows& training, const Rows& testing, std::uint64_t seed, const std::string& name)
      : training_(training),
        testing_(testing),
        options_(of_one_width(seed)),
        shards_(distributed::shards_of(Examples{training_.inputs, training_.targets}, kShards)),
        first_("merging-first-" + name),
        second_("merging-second-" + name) {}

  Likelihoods measured(const std::vector<std::size_t>& epochs) {
    Likelihoods out;
    out.first = trained(part(0, kHalf), {.checkpoint = first_.path()});
    out.second = trained(part(kHalf, kHalf), {.checkpoint = second_.path()});
    out.all_rows = trained(shards_, {});
    out.epochs_all_rows = epochs_;
    out.merged = not_refreshed();
    const distributed::DistributedOptions merging{.merge = folders()};
    for (const std::size_t count : epochs)
      out.refreshed.push_back(trained(shards_, merging, count));
    out.to_the_end = trained(shards_, merging);
    out.epochs_to_the_end = epochs_;
    return out;
  }

 private:
  std::vector<std::string> folders() const { return {first_.path(), second_.path()}; }

  distributed::Shards part(std::size_t begin, std::size_t count) const {
    return {count, [of = shards_, begin](std::size_t shard) { return of.rows(begin + shard); }};
  }

  double trained(const distributed::Shards& rows, const distributed::DistributedOptions& how,
                 std::size_t max_epochs = 0) {
    EstimatorOptions options = options_;
    options.training.max_epochs = max_epochs;
    Regressor model(options);
    distributed::LocalCommunicator here;
    epochs_ = static_cast<double>(
        distributed::fit_distributed(model, rows, how, here).fits.front().epochs.size());
    return likelihood(model);
  }

  // The sum of what both have said.
  double not_refreshed() const {
    Regressor model(options_);
    distributed::ShardHolder holder(model);
    std::vector<distributed::ByteString> summaries;
    for (std::size_t s = 0; s < kShards; ++s) {
      holder.hold(s, shards_.rows(s));
      summaries.push_back(holder.summary(s));
    }
    holder.prepare(summaries);
    distributed::DistributedDriver driver(model, {.merge = folders()}, summaries);
    driver.merge(holder.merge(folders()));
    driver.conclude();
    return likelihood(model);
  }

  double likelihood(const Regressor& model) const {
    return model.log_likelihood(testing_.inputs, testing_.targets);
  }

  Rows training_, testing_;
  EstimatorOptions options_;
  distributed::Shards shards_;
  Folder first_, second_;
  double epochs_ = 0;
};

Object described(Cut cut, const Likelihoods& found, const std::vector<std::size_t>& epochs) {
  std::vector<Object> refreshed;
  for (std::size_t i = 0; i < epochs.size(); ++i)
    refreshed.push_back(
        {{"epochs", {static_cast<std::int64_t>(epochs[i])}}, {"ll", {found.refreshed[i]}}});
  return {{"cut", {name_of(cut)}},
          {"first_half", {found.first}},
          {"second_half", {found.second}},
          {"merged", {found.merged}},
          {"refreshed", {refreshed}},
          {"to_the_end", {found.to_the_end}},
          {"epochs_to_the_end", {found.epochs_to_the_end}},
          {"all_rows", {found.all_rows}},
          {"epochs_all_rows", {found.epochs_all_rows}}};
}

}  // namespace

Part merging(const Settings& settings) {
  const std::string name = settings.quick ? "yacht" : "kin8nm";
  const std::size_t splits = settings.quick ? 1 : 4;
  const std::vector<std::size_t> epochs =
      settings.quick ? std::vector<std::size_t>{1, 5} : std::vector<std::size_t>{1, 5, 20};
  const std::vector<Cut> cuts{Cut::at_random, Cut::by_an_input};
  const UciSet set = read_uci_set(settings.data, name);
  std::vector<Likelihoods> found(cuts.size() * splits);
  Workers(settings.threads).run(found.size(), [&](std::size_t task) {
    const std::size_t split = task / cuts.size();
    Merging of(cut(set.rows(split, false), cuts[task % cuts.size()]), set.rows(split, true),
               settings.seed + split, std::to_string(task));
    found[task] = of.measured(epochs);
  });
  Part out{"merging", {}, {}};
  std::vector<Object> rows;
  for (std::size_t c = 0; c < cuts.size(); ++c) {
    Likelihoods mean;
    for (std::size_t split = 0; split < splits; ++split)
      mean.add(found[split * cuts.size() + c], 1 / static_cast<double>(splits));
    rows.push_back(described(cuts[c], mean, epochs));
    out.notes.push_back(fmt::format(
        "{}, cut {:18}: halves {:.4f} and {:.4f}, merged {:.4f}, refreshed {:.4f}, to the end "
        "{:.4f} ({:.0f} epochs), all rows {:.4f} ({:.0f} epochs)",
        name, name_of(cuts[c]), mean.first, mean.second, mean.merged,
        fmt::join(mean.refreshed, " "), mean.to_the_end, mean.epochs_to_the_end, mean.all_rows,
        mean.epochs_all_rows));
  }
  out.result = {{"set", {name}},
                {"splits", {static_cast<std::int64_t>(splits)}},
                {"shards", {static_cast<std::int64_t>(kShards)}},
                {"cuts", {rows}}};
  return out;
}

}  // namespace postrider::experiments

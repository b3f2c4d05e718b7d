// Taking a shard's messages out and refreshing the rest, beside training without the shard.
#include <fmt/format.h>

#include "parts.h"
#include "spread_trial.h"

namespace postrider::experiments {
namespace {

constexpr std::size_t kShards = 8, kForgotten = 3;

struct Likelihoods {
  double test, forgotten;
};

class Forgetting {
 public:
  Forgetting(const UciSet& set, std::uint64_t seed)
      : training_(set.rows(0, false)),
        testing_(set.rows(0, true)),
        options_(one_network(seed)),
        shards_(distributed::shards_of(Examples{training_.inputs, training_.targets}, kShards)) {}

  Likelihoods trained(const distributed::DistributedOptions& how, std::size_t max_epochs = 0) {
    EstimatorOptions options = options_;
    options.training.max_epochs = max_epochs;
    Regressor model(options);
    distributed::LocalCommunicator here;
    epochs_ = distributed::fit_distributed(model, shards_, how, here).fits.front().epochs.size();
    return measured(model);
  }

  // Rows without those of the shard, from the beginning.
  Likelihoods anew() {
    const distributed::Shards all = shards_;
    const distributed::Shards others{kShards - 1, [all](std::size_t shard) {
                                       return all.rows(shard < kForgotten ? shard : shard + 1);
                                     }};
    Regressor model(options_);
    distributed::LocalCommunicator here;
    epochs_ = distributed::fit_distributed(model, others, {}, here).fits.front().epochs.size();
    return measured(model);
  }

  std::size_t epochs() const { return epochs_; }

 private:
  Likelihoods measured(const Regressor& model) const {
    const Examples gone = shards_.rows(kForgotten);
    return {model.log_likelihood(testing_.inputs, testing_.targets),
            model.log_likelihood(gone.inputs, gone.targets)};
  }

  Rows training_, testing_;
  EstimatorOptions options_;
  distributed::Shards shards_;
  std::size_t epochs_ = 0;
};

}  // namespace

Part forgetting(const Settings& settings) {
  const std::string name = settings.quick ? "yacht" : "kin8nm";
  Forgetting of(read_uci_set(settings.data, name), settings.seed);
  const Folder folder("forgetting");
  distributed::DistributedOptions how;
  how.checkpoint = folder.path();
  const Likelihoods whole = of.trained(how);
  const std::size_t epochs = of.epochs();
  how.resume = true;
  how.forget = {kForgotten};
  const Likelihoods taken_out = of.trained(how, epochs);
  const Likelihoods refreshed = of.trained(how, epochs + (settings.quick ? 5 : 20));
  const std::size_t more = of.epochs() - epochs;
  const Likelihoods anew = of.anew();
  const auto described = [](const Likelihoods& of_rows) {
    return Object{{"test", {of_rows.test}}, {"forgotten_rows", {of_rows.forgotten}}};
  };
  Part out{"forgetting",
           {{"set", {name}},
            {"shards", {static_cast<std::int64_t>(kShards)}},
            {"epochs", {static_cast<std::int64_t>(epochs)}},
            {"epochs_refreshed", {static_cast<std::int64_t>(more)}},
            {"with_all_rows", {described(whole)}},
            {"taken_out", {described(taken_out)}},
            {"refreshed", {described(refreshed)}},
            {"trained_anew", {described(anew)}}},
           {}};
  for (const auto& [what, found] : {std::pair{"with all rows", whole},
                                    {"taken out", taken_out},
                                    {"refreshed", refreshed},
                                    {"trained anew", anew}})
    out.notes.push_back(fmt::format("{}, {:14}: LL of test rows {:.4f}, of the forgotten {:.4f}",
                                    name, what, found.test, found.forgotten));
  return out;
}

}  // namespace postrider::experiments

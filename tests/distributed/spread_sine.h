// A noisy sine that is learned by shards, by one process or by several.
#pragma once

#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#include "distributed/thread_ranks.h"
#include "estimator/sine.h"
#include "postrider/distributed/training.h"
#include "postrider/regressor.h"

namespace postrider::distributed {
using namespace internal;

inline EstimatorOptions small(std::size_t members = 1) {
  EstimatorOptions out{.hidden = {8}, .ensemble_size = members};
  out.training.max_epochs = 6;
  return out;
}

inline std::string saved(const Regressor& model) {
  std::ostringstream out;
  model.save(out);
  return out.str();
}

class SpreadSine : public NoisySine {
 protected:
  Shards shards(std::size_t count = 6) {
    return shards_of(Examples{training.x, training.y}, count);
  }
  std::string alone(const EstimatorOptions& options, const DistributedOptions& how = {}) {
    return saved(learned(options, shards(), how));
  }
  Regressor learned(const EstimatorOptions& options, const Shards& rows,
                    const DistributedOptions& how = {}) {
    Regressor model(options);
    LocalCommunicator one;
    report_ = fit_distributed(model, rows, how, one);
    return model;
  }
  // The files of all ranks that ended.
  std::vector<std::string> together(ThreadRanks& ranks, const EstimatorOptions& options,
                                    const DistributedOptions& how = {}) {
    std::vector<std::string> out;
    std::mutex adding;
    ranks.run([&](Communicator& rank) {
      Regressor model(options);
      const DistributedReport report = fit_distributed(model, shards(), how, rank);
      const std::scoped_lock lock(adding);
      report_ = report;
      out.push_back(saved(model));
    });
    return out;
  }

  DistributedReport report_;
};

}  // namespace postrider::distributed

// The figures of a stream in the form that Prometheus reads.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "events/late_targets.h"
#include "events/running_score.h"
#include "events/stream_lag.h"

namespace postrider::cli {

struct StreamFigures {
  std::size_t rows = 0, refused = 0, changes = 0;
  double rows_per_second = 0, snapshot_age = 0;
  StreamLag lag;
  bool source_answers = true;
  const RunningScore& score;
  struct Late {
    LateTargets::Counts counts = {};
    std::size_t waiting = 0;
  };
  std::optional<Late> late = {};  // where targets come late
};

std::string stream_metrics(const StreamFigures& figures);

}  // namespace postrider::cli

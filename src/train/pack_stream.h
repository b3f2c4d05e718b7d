// A stream that several networks of one shape learn side by side, one in each lane of the vectors.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "postrider/network/trainer.h"
#include "train/stream_scores.h"
#include "train/training_rows.h"

namespace postrider::internal {

// A network that learns a stream, and how.
struct StreamMember {
  network::Network& network;
  network::Trainer::Task task = {};
  std::vector<double> noise_variance = {};  // none: the usual
  std::size_t seen = 0;                     // rows learned before
};

// What one network made of the rows of a call.
struct StreamOutcome {
  StreamReport report;
  StreamScores scores;
  std::size_t seen = 0;
};

// Whether these are alike and small enough for lanes to be worth it.
bool can_stream_together(std::span<const StreamMember> members, const TrainerOptions& options);

class PackStream {
 public:
  virtual ~PackStream() = default;
  // One for each network. If beliefs of one of them would not be sound, none learns anything.
  virtual std::vector<StreamOutcome> learn(const RowsToLearn& rows) = 0;
  // Beliefs, noise and rows seen as they were before the last learn(); the outcomes hold the latter two.
  virtual std::vector<StreamOutcome> undone() = 0;
};

// At most kPack, which can stream together; the networks must outlive it. They have the new beliefs after
// every call.
std::unique_ptr<PackStream> make_pack_stream(std::vector<StreamMember> members,
                                             const TrainerOptions& options);

}  // namespace postrider::internal

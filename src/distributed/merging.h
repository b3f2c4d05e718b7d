// Checkpoints of runs that were trained separately, as the beginning of one that has the shards of all of them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "distributed/setting.h"

namespace postrider::internal {

// One of them. Its shards are `count` of this run's, beginning with `first`.
struct RunToMerge {
  CheckpointFolder folder;
  CheckpointFolder::Manifest manifest;
  std::size_t first, count;
  double rows;  // of all of them
};

// The runs in these folders: the shards of one follow those of the one before. Throws FileError or CorruptFile if one cannot
// be read, InvalidArgument if it is of another run, or if messages of its networks mean nothing to this run's.
std::vector<RunToMerge> runs_to_merge(const SpreadSetting& setting,
                                      std::span<const std::string> folders);

}  // namespace postrider::internal

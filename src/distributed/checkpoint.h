// Checkpoints of training that is spread: a file for each shard, which never changes once it is written, and a
// manifest, which is written last. Any number of processes reads what any other wrote.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "distributed/packing.h"

namespace postrider::internal {

class CheckpointFolder {
 public:
  // `identity` tells runs apart: of data, options and shards.
  CheckpointFolder(std::string path, std::uint64_t identity);
  // The identity of the run whose manifest lies in a folder. Throws FileError or CorruptFile if there is none.
  static std::uint64_t identity_in(const std::string& path);

  // Write the state after so many epochs. Throw FileError.
  void write_shard(std::uint64_t epoch, std::size_t shard, const Bytes& bytes) const;
  void write_manifest(std::uint64_t epoch, const Bytes& bytes) const;
  // All of other epochs.
  void remove_others(std::uint64_t epoch, std::size_t shards) const;

  struct Manifest {
    std::uint64_t epoch;
    Bytes bytes;
  };
  // None if there is none. Throws FileError or CorruptFile, also if it is of another run.
  std::optional<Manifest> read_manifest() const;
  Bytes read_shard(std::uint64_t epoch, std::size_t shard) const;
  std::string shard_path(std::uint64_t epoch, std::size_t shard) const;
  std::string manifest_path() const;

 private:
  void write(const std::string& path, const Bytes& bytes) const;
  Bytes read(const std::string& path) const;

  std::string path_;
  std::uint64_t identity_;
};

}  // namespace postrider::internal

// Training that is spread, in its two parts: those who hold rows, and the one who drives them. For engines that call
// workers and gather what they return, such as Dask and Ray; fit_distributed() is made of the same parts.
//
// Bytes are for other processes of the same version.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "postrider/distributed/training.h"
#include "postrider/export.h"

namespace postrider::distributed {

using ByteString = std::vector<std::byte>;

// Some of the shards.
class POSTRIDER_EXPORT ShardHolder {
 public:
  // What holders have done of a step.
  struct Answer {
    std::vector<std::int64_t> sums;  // to be added up, number by number, over all holders
    ByteString results;              // to be collected
  };

  // A holder for a model with these options; the model is not changed.
  explicit ShardHolder(const Estimator& model);
  ~ShardHolder();
  ShardHolder(ShardHolder&&) noexcept;
  ShardHolder& operator=(ShardHolder&&) noexcept;

  // Copies the rows. Throws InvalidArgument if they make no sense.
  void hold(std::size_t shard, const Examples& rows);
  bool holds(std::size_t shard) const;
  void drop(std::size_t shard);

  ByteString summary(std::size_t shard) const;
  // Those of all shards, in their order. Forgets all messages.
  void prepare(std::span<const ByteString> summaries);
  // Does its part of a step.
  Answer run(std::span<const std::byte> step, unsigned threads = 1);

  // Drops a shard; the sums of what it had said.
  std::vector<std::int64_t> forget(std::size_t shard);

  // Writes the state of its shards after so many epochs.
  void write(const std::string& folder, std::uint64_t epoch) const;
  // The sums of what was read. Throws FileError or CorruptFile.
  std::vector<std::int64_t> load(const std::string& folder, std::uint64_t epoch);
  // What its shards have said in other runs, as DistributedOptions::merge has them; the sums of that. Throws the same,
  // and InvalidArgument.
  std::vector<std::int64_t> merge(std::span<const std::string> folders);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Holds the sum. Several may run side by side: the same answers lead to the same steps.
class POSTRIDER_EXPORT DistributedDriver {
 public:
  // Takes the summaries of all shards, in their order. The model must outlive it.
  DistributedDriver(Estimator& model, const DistributedOptions& options,
                    std::span<const ByteString> summaries);
  ~DistributedDriver();
  DistributedDriver(DistributedDriver&&) noexcept;
  DistributedDriver& operator=(DistributedDriver&&) noexcept;

  // Numbers far from all others of their shard, which are learned as missing or nearer: a sentence for each column, as
  // Regressor::fit() tells of those of its rows.
  std::vector<std::string> warnings(std::span<const std::string> input_names = {}) const;
  // What all holders are to do next; empty once training has ended.
  ByteString next() const;
  // The sums over all holders, and what each of them has found.
  void accept(std::span<const std::int64_t> sums, std::span<const ByteString> results);
  std::vector<EpochReport> take_reports();
  void cancel();

  std::uint64_t epochs() const;  // that have ended
  // Whether holders are to write their shards now, and then this the manifest.
  bool is_checkpoint_due() const;
  void write_manifest() const;
  // The epochs of the last checkpoint that is whole; none if there is none. Throws FileError or CorruptFile.
  std::optional<std::uint64_t> checkpoint() const;
  // Goes on from there, with the sums over all holders of what load() returned.
  void resume(std::span<const std::int64_t> sums);

  // Begins with what the runs of DistributedOptions::merge have learned, with the sums over all holders of what
  // merge() returned.
  void merge(std::span<const std::int64_t> sums);

  // Takes out what these shards have said, by the sums over all holders of what forget() returned; whoever is best
  // is decided anew.
  void forget(std::span<const std::size_t> shards, std::span<const std::int64_t> sums);

  // Gives the model what was learned.
  DistributedReport conclude();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace postrider::distributed

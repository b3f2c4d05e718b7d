// A virtual worker: rows that stay together, and the messages that they have sent to each member of an ensemble.
//
// A round is a function of the request, the shard's messages and its rows; who executes it does not matter.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/workers.h"
#include "data/standardise.h"
#include "distributed/round_request.h"
#include "estimator/far_cells.h"
#include "estimator/state.h"
#include "estimator/untrained.h"

namespace postrider::internal {

// What a shard tells of its rows before there is a model.
struct ShardSummary {
  std::uint64_t rows = 0;
  double weight = 0;  // of all rows
  std::uint64_t columns = 0, targets = 0;
  double largest_label = -1;  // of classes
  std::vector<ColumnMoment> inputs_moments, target_moments;
  std::vector<FarNumbers> far_inputs, far_targets;  // that it learns otherwise
  std::uint32_t groups_checksum = 0;  // tells apart runs whose rows belong together otherwise

  Bytes packed() const;
  static ShardSummary unpacked(std::span<const std::byte> bytes);
};

// What all shards and whoever holds the sum agree on.
struct TrainingPlan {
  RowsSummary summary;
  std::vector<std::uint64_t> shard_rows;
  std::size_t group_size = 1;
  std::vector<FarNumbers> far_inputs = {}, far_targets = {};  // of all shards, by column

  std::size_t shards() const { return shard_rows.size(); }
  std::size_t rows() const;
  std::size_t groups(std::size_t shard) const {
    return (shard_rows[shard] + group_size - 1) / group_size;
  }
  std::size_t all_groups() const;
};
// Throws InvalidArgument if shards do not fit together.
TrainingPlan plan_of(const EstimatorState& state, std::span<const ShardSummary> shards);

// What one shard keeps for one member.
class ShardMember {
 public:
  virtual ~ShardMember() = default;
  // Adds the change of the shard's messages, in units, to `change`, which has two numbers for each weight.
  virtual RoundStatistics round(std::span<const std::byte> request,
                                std::span<std::int64_t> change) = 0;
  // How well rows are predicted that it leaves out, by the beliefs that it was last asked with.
  virtual EpochPart close(const std::vector<double>& noise) = 0;
  // All of its messages.
  virtual void add_to(UnitSums& sums) const = 0;
  virtual void save(Packer& to) const = 0;
  // Throws CorruptFile.
  virtual void load(Unpacker& from) = 0;
};

class Shard {
 public:
  // Copies the rows. Throws InvalidArgument if they make no sense. Numbers that are far from all others are looked for as
  // where rows are in one place, but among the shard's own: it must not depend on who else is there.
  Shard(std::size_t number, OptionInfo::Scope scope, const EstimatorOptions& options,
        const Examples& rows);

  std::size_t number() const { return number_; }
  ShardSummary summary() const;
  // Before the first round; forgets all messages.
  void prepare(const EstimatorState& state, const TrainingPlan& plan);
  // The same, with the rows in the order of the shard that has this number in another run.
  void prepare(const EstimatorState& state, const TrainingPlan& plan, std::uint64_t order);

  ShardMember& member(std::size_t number) { return *members_[number]; }
  std::size_t members() const { return members_.size(); }

  // All messages of all members, and which rows they are about.
  Bytes saved() const;
  void add_to(std::vector<UnitSums>& sums) const;
  // Adds up what was read. Of a shard with these rows, maybe of another run with the same networks.
  void load(const EstimatorState& state, const TrainingPlan& plan, std::span<const std::byte> bytes,
            const std::string& source, std::vector<UnitSums>& sums);

 private:
  Shard(std::size_t number, OptionInfo::Scope scope, const EstimatorOptions& options,
        const WithoutFarCells& near);

  std::size_t number_;
  std::uint64_t order_;  // the number that the order of the rows is drawn with
  OptionInfo::Scope scope_;
  std::size_t count_, columns_, targets_per_row_;
  std::vector<double> inputs_, targets_, weights_;
  std::vector<std::uint32_t> row_groups_;
  std::vector<FarNumbers> far_inputs_, far_targets_;
  std::unique_ptr<TrainingRows> prepared_;
  std::vector<double> told_;
  std::vector<std::unique_ptr<ShardMember>> members_;
};

}  // namespace postrider::internal

// Which rows train holds out or deals to folds, as the user asks: at random, by time, by group.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/program.h"
#include "io/output.h"
#include "postrider/distributed/training.h"
#include "postrider/estimator_options.h"
#include "postrider/splits.h"
#include "postrider/table.h"
#include "postrider/table_model.h"
#include "postrider/time_budget.h"
#include "postrider/training.h"

namespace CLI {
class App;
}

namespace postrider::cli {

struct SplitRequest {
  double validation = 0;   // share of the rows
  std::size_t folds = 0;   // 0: none
  std::string time = {};   // a column; empty: none
  std::string group = {};  // the same

  // Throws InvalidArgument.
  void expect_possible() const;
};

// Rows that are held out, and in words which they are: "by time, from 2012-08-08 on".
struct Split {
  Fold fold;
  std::string words;
};

// What a split needs of a table, whose keys are the user's, then time, then group.
class Splitter {
 public:
  Splitter(const SplitRequest& request, const Table& table, std::size_t user_keys,
           std::uint64_t seed);

  bool is_by_rows() const { return times_.empty() && groups_.empty(); }
  Split held_out() const;
  std::vector<Fold> folds() const;     // by time or group
  std::string words_of_folds() const;  // "by time: each fold learns what came before it"
  // Those of all rows; none if rows are apart.
  std::vector<std::uint32_t> groups() const;

 private:
  const SplitRequest& request_;
  std::size_t rows_;
  std::uint64_t seed_;
  std::vector<std::string> time_texts_, groups_;
  std::vector<double> times_;
};

// --- What train tells of its cross-validation.

// `how` is said behind "cross-validation".
std::string folds_text(const TableModel& model, const TableModel::Validation& found,
                       const std::string& how);

OutputKind out_of_fold_kind();
// Rows of a table that one model has not learned.
struct LeftOutPart {
  const TableModel& model;
  std::vector<std::size_t> rows;
};
std::vector<LeftOutPart> left_out_rows(const TableModel::Validation& found);
// Row numbers of the table from 1, targets, keys, and what the model that has not learned the row predicts, in the
// columns that predict writes.
void write_out_of_fold(const Table& table, const std::vector<LeftOutPart>& parts,
                       const std::vector<std::string>& keys, const std::string& path);

// --- What train was given, as a call of it that makes the model again has it.

// Options by name, with their values; that of a flag is empty.
using GivenOptions = std::map<std::string, std::string>;

// Options that train was given, that the model depends on, and of which its file does not tell otherwise.
GivenOptions options_to_keep(const CLI::App& train);
// As a shell has them.
std::vector<std::string> words_of(const GivenOptions& given);

// --- How often classes count, as users write it.

// "balanced", or "yes=2" for each class. Throws InvalidArgument.
TableModelOptions::ClassWeights class_weights_of(const std::vector<std::string>& words);

// --- How long a command may take, and how much memory.

// Throws InvalidArgument if there is a limit of memory that cannot be kept to.
void expect_possible_memory(const std::string& option, const std::string& text, bool is_stream,
                            std::size_t store_budget);

// From now on; an empty text sets no limit.
TimeBudget time_budget(const std::string& option, const std::string& text);

// --- The processes that a call of the program is one of.

// Whether mpirun, or a scheduler that speaks its language, started this process.
bool is_started_by_mpi();

// The ranks of the job if mpirun started this one, else this process alone. All ranks but the first are silent from
// then on. Throws Error if it was started by mpirun, but built without MPI.
std::unique_ptr<distributed::Communicator> processes_of_job(double deadline_seconds);

// --- What a line on the terminal says while a model is trained.

// How an epoch's numbers become those of the target's unit.
struct ScoreUnit {
  double deviation = 1;  // of the target, and 1 for classes
  bool has_noise = true;
};

// What the line says after each epoch, and guesses the time that is left at most.
class EpochLine {
 public:
  EpochLine(const TrainerOptions& options, ScoreUnit unit) : options_(options), unit_(unit) {}
  // Training ends after so many seconds at the latest.
  std::string after(const EpochReport& report, double most_seconds);

 private:
  double seconds_left(const EpochReport& report) const;

  TrainerOptions options_;
  ScoreUnit unit_;
  double seconds_ = 0;  // of the epochs that were told
  std::size_t epochs_ = 0, begun_ = 0;
};

// What it says before that, while encodings race, and how long the race takes at most.
class ChoosingLine {
 public:
  std::string after(const TrainingCallbacks::Choosing& report);

 private:
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> first_ = {};  // when the first epoch was over
};

std::string stream_line(const TableModel::StreamProgress& progress);

// --- How long training will take, before it begins.

// Most trainings take between these.
struct ExpectedTime {
  double least = 0, most = 0;  // seconds of one thread

  std::string text() const;  // "3 to 20 s"
};
// Rows are those with a value of the target. Nothing where the number of epochs is asked for: there is no experience with these.
std::optional<ExpectedTime> expected_time(const EstimatorOptions& options, const Schema& schema,
                                          std::size_t rows);

// --- train --dry-run: what is understood of a table, and nothing is learned.

// Reads all rows: what stands in the last one may be an error, too. The schema has a target. With these options training would take
// a time that is told, too.
ExitCode tell_understood(TableReader& reader, const std::string& path,
                         const EstimatorOptions& options, bool json);

}  // namespace postrider::cli

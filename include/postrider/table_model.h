// A model of a table: the schema of its columns with a Regressor or a Classifier behind it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "postrider/classifier.h"
#include "postrider/cross_validation.h"
#include "postrider/distributed/training.h"
#include "postrider/distributions.h"
#include "postrider/evaluation.h"
#include "postrider/export.h"
#include "postrider/metrics.h"
#include "postrider/monitor.h"
#include "postrider/regressor.h"
#include "postrider/splits.h"
#include "postrider/table.h"
#include "postrider/table_warnings.h"
#include "postrider/training.h"

namespace postrider {

namespace internal {
struct Access;
class TableModelState;
}  // namespace internal

struct POSTRIDER_EXPORT TableModelOptions {
  // What an estimator sees where an input is missing. vague: a message as wide as the column, so that
  // nothing is claimed of it. mean: the column's mean, as if it had been measured.
  enum class Missing { vague, mean };

  // How often the rows of a class count. balanced: all classes together count as much as each other, and all rows as
  // many as there are.
  struct ClassWeights {
    bool balanced = false;
    std::map<std::string, double> by_class = {};  // classes that are not named count once

    bool operator==(const ClassWeights&) const = default;
  };

  Missing missing = Missing::vague;
  // One more input for each column with missing values: whether this one is missing. Where cells are
  // missing for no reason it costs more than it tells; docs/results/conditions.md has the figures.
  bool indicators = false;
  // Whether the model keeps what the columns look like, with the coarse positions of up to 512 rows: DriftWatch and FarRowWatch
  // compare new rows with it.
  bool profile = true;
  EstimatorOptions estimator = {};  // the classes are the schema's
  ClassWeights class_weights = {};  // multiplied with the weights of the table's rows
  // If not null: train() is called by all of these processes, with the same table, and they train together, each
  // on its shards.
  distributed::Communicator* processes = nullptr;
  distributed::DistributedOptions distributed = {};
  // How a program was asked for this model, such as {"--na", "-999"}: kept with the step, and of no effect.
  std::vector<std::string> words = {};

  // Throw InvalidArgument. The second also if an option was changed that is not for such a target.
  void validate(OptionInfo::Spelling spelling = OptionInfo::Spelling::cpp) const;
  void validate_for(const Schema& schema,
                    OptionInfo::Spelling spelling = OptionInfo::Spelling::cpp) const;
};

POSTRIDER_EXPORT std::string_view to_string(TableModelOptions::Missing missing);

class POSTRIDER_EXPORT TableModel {
 public:
  // After each chunk of a stream.
  struct StreamProgress {
    std::size_t rows = 0;          // learned so far
    std::uint64_t bytes_read = 0;  // of the file as it is stored
    std::uint64_t file_bytes = 0;  // 0 where it has no size
    double seconds = 0;
  };

  // After each chunk of a stream; false ends it, and what was learned stays.
  using StreamCallback = std::function<bool(const StreamProgress&)>;

  // Scores of a cross-validation: means over folds, with their standard errors.
  struct FoldScores {
    std::size_t folds = 0;  // 0: there was none
    // For a numeric target, in its unit; coverage is that of central intervals of 90 %.
    Estimate root_mean_square_error = {}, log_likelihood = {}, coverage = {};
    // For classification.
    Estimate accuracy = {}, log_loss = {};
  };

  // Where a stream of events stands: of each of its partitions, the last event that was learned.
  struct StreamPosition {
    std::string source = {};  // as the user names it; position() needs nothing behind " id "
    std::map<std::string, std::string> partitions = {};

    bool operator==(const StreamPosition&) const = default;
  };

  // One call of train(), train_stream() or update(), or all calls of follow() for one source. The seconds of its epochs are not saved: the same
  // training gives the same file.
  struct Step {
    enum class Kind { fit, stream, update, follow };

    Kind kind = Kind::fit;
    std::size_t rows = 0;              // learned
    std::size_t without_target = 0;    // rows passed over, since their target is missing
    std::vector<FitReport> fits = {};  // one for each member; empty for streams
    StreamReport stream = {};          // of all chunks together; not for fits
    FoldScores fold_scores = {};       // of a cross-validation with the same rows and options
    StreamPosition position = {};      // of follow() only; its stream report has no score
    // Rows that are exact copies of others, see CopyWatch; only train() counts them.
    std::size_t copies = 0;
    std::vector<std::string> words = {};  // as the options had them
    // What was odd about the rows, or about how intervals held those that networks left out. Of a stream, its first chunk was looked at.
    std::vector<TableWarning> warnings = {};
  };

  // What the notes of a model file say of its table.
  struct Notes {
    Schema schema;
    TableModelOptions::Missing missing = TableModelOptions::Missing::vague;
    std::vector<Schema::Feature> features;  // the inputs of the network, in order
    std::vector<Step> history;
  };

  struct Validation;

  // Rows of a stream that were predicted and wait for their target, which comes later with the same key.
  struct Waiting {
    std::string column = {};   // whose value is the key; empty: nothing was ever joined
    std::uint64_t events = 0;  // that have come so far
    std::vector<std::uint64_t> numbers =
        {};                              // of each row, which of these events it was; ascending
    std::vector<std::string> keys = {};  // of each row
    Table rows = {};                     // of the model's schema; their targets are missing
  };

  // Row by row. Of a numeric target mean and standard deviations, of a categorical one the probabilities.
  struct POSTRIDER_EXPORT Prediction {
    std::size_t rows = 0;
    std::vector<double> mean;
    std::vector<double> std;            // of a new observation: epistemic and aleatoric uncertainty
    std::vector<double> noise_std;      // of it, the aleatoric part: noise
    Distributions distributions;        // of a new observation, all that is known
    std::vector<double> probabilities;  // one for each class

    // A numeric target's quantiles, row by row one for each of these probabilities.
    std::vector<double> quantiles(std::span<const double> probabilities_below) const;
    // Low and high, row by row: see Distributions.
    std::vector<double> intervals(double level) const;
    // Draws, row by row `count`: values, or class numbers. A function of the seed and the row's number,
    // counted from `first_row`, so that chunks draw what the whole would.
    std::vector<double> samples(std::size_t count, std::uint64_t seed,
                                std::size_t first_row = 0) const;
    std::vector<std::size_t> most_probable() const;  // class numbers
    std::size_t classes() const { return rows == 0 ? 0 : probabilities.size() / rows; }
  };

  // A row that a model can neither predict nor learn, since a number of it is infinite or absurdly far from all that was
  // learned.
  struct POSTRIDER_EXPORT UnusableRow {
    std::size_t row = 0;
    std::string reason;  // such as "area = 1e+300: must be at most 1e120 in size"
    std::string place =
        {};  // where the table has it, such as "line 7"; empty in a table of one row

    std::string text()
        const;  // both, such as "area = 1e+300: must be at most 1e120 in size; see line 7"
  };

  // Learn all rows in memory, epoch after epoch. The schema must have a target, else InvalidArgument.
  // What a reader has is kept as inputs that are not zero, however wide it is; `read` is called with each chunk, and
  // with an empty table before the rows are learned.
  static TableModel train(TableReader& reader, const TableModelOptions& options = {},
                          const TrainingCallbacks& callbacks = {},
                          const std::function<void(const Table&)>& read = {});
  // Groups are none, or a number for each row of the table: see Regressor::fit().
  static TableModel train(const Table& table, const TableModelOptions& options = {},
                          const TrainingCallbacks& callbacks = {},
                          std::span<const std::uint32_t> groups = {});
  // Learns each row once, chunk by chunk, in memory that does not grow with the file. The first chunk
  // fixes the scales.
  static TableModel train_stream(TableReader& reader, const TableModelOptions& options = {},
                                 const StreamCallback& progress = {});
  ~TableModel();
  TableModel(TableModel&&) noexcept;
  TableModel& operator=(TableModel&&) noexcept;

  // Goes on learning from new rows, each once. The reader, or the table, has this model's schema. The history has a
  // step for each call, up to a hundred steps; later calls are counted with the last one.
  void update(TableReader& reader, const StreamCallback& progress = {});
  void update(const Table& table);

  // Learns rows of a stream of events, each once, and notes where the stream stands after them. A file that is saved
  // then has both, so that whoever goes on from it loses no event and learns none twice. However the events are cut
  // into calls, the file is the same.
  void follow(const Table& table, const StreamPosition& after);
  // Where the model stands; without partitions if it has never followed this source.
  StreamPosition position(const std::string& source) const;

  // Rows that wait for their target go into the file with the position, and change nothing else. keep() throws
  // InvalidArgument if they are not of this model's schema, or numbers and keys are not as many.
  void keep(Waiting rows);
  const Waiting& waiting() const;

  // Keeps the scores of a cross-validation with the step that was learned last.
  void keep(const FoldScores& scores);

  // How many of the last thousand calls of train(), train_stream() and update() have learned these rows.
  std::size_t times_learned(const RowMonitor::Digest& rows) const;
  // Why these rows, which update() has learned by now, should not have been: this model had learned them, or some of them, or a column
  // seems to be in another unit. A sentence, or nothing. What was repeated and how columns look is known from before the update.
  std::string doubts(const RowMonitor::Digest& rows, const RepeatWatch::Found& repeated,
                     const std::vector<DriftWatch::Warning>& drift) const;
  // Why the scales do not fit the targets that update() has learned: more than one in twenty lies beyond ten standard deviations.
  std::string misfit() const;
  // Notes these, too: rows that were learned are part of them.
  void keep(const RowMonitor::Digest& rows);

  // Tables of this model's schema; of an unknown category nothing is claimed.
  Prediction predict(const Table& table) const;
  // Rows for which predict() or follow() would throw InvalidArgument: those who follow a stream pass over them.
  std::vector<UnusableRow> unusable(const Table& table) const;
  // Needs targets. Throws InvalidArgument if there are none.
  TableEvaluation evaluate(const Table& table) const;
  TableEvaluation evaluate(TableReader& reader) const;  // all its rows, in bounded memory per row

  // One safetensors file: the estimator, and in the metadata the schema and the history.
  void save(const std::string& path) const;
  void save(std::ostream& to) const;  // the same bytes
  // Recognises which estimator it holds. Throws Error if the file is none of ours, or damaged.
  static TableModel load(const std::string& path);
  static TableModel load(std::istream& from);  // that can seek
  // An equal model, which learns for itself from now on.
  TableModel copy() const;

  const Schema& schema() const;
  bool classifies() const;
  const std::vector<std::string>& classes() const;  // names; empty if the target is numeric
  const std::string& target() const;
  TableModelOptions::Missing missing() const;
  bool indicators() const;
  const std::vector<Schema::Feature>& features() const;  // the inputs of the network, in order
  const std::vector<Step>& history() const;
  // Those of the last step that began the model.
  std::vector<TableWarning> warnings() const;
  // What the columns look like in the rows that were learned; empty in models of version 0.1, and where it was not wanted.
  const TableProfile& profile() const;
  // The rows of inputs that the estimator sees.
  std::vector<double> encode(const Table& table) const;
  const Estimator& estimator() const;
  // Exactly one of them is there; it is the estimator.
  const Regressor* regressor() const;
  const Classifier* classifier() const;

 private:
  friend struct internal::Access;
  explicit TableModel(std::unique_ptr<internal::TableModelState> state);
  std::unique_ptr<internal::TableModelState> state_;
};

POSTRIDER_EXPORT std::string_view to_string(TableModel::Step::Kind kind);

// The others of so many rows, in order.
POSTRIDER_EXPORT std::vector<std::size_t> usable_rows(
    std::size_t rows, const std::vector<TableModel::UnusableRow>& unusable);

// --- cross-validation --------------------------------------------------------------------------------

struct POSTRIDER_EXPORT TableModel::Validation {
  std::vector<std::size_t> rows;   // of the table, those whose target is known
  std::vector<std::size_t> folds;  // for each of them, the model that has not learned it
  std::vector<TableModel> models;
  // Evaluates what each model has left out. Figures are means over folds, standard errors tell how much folds
  // differ, and bins hold the rows of all.
  TableEvaluation evaluation;

  TableModel::FoldScores scores() const;
};

// As cross_validate() of estimators. Means that stand in for missing inputs are each fold's own.
POSTRIDER_EXPORT TableModel::Validation cross_validate(const Table& table,
                                                       const TableModelOptions& options = {},
                                                       const CrossValidationOptions& how = {},
                                                       const TrainingCallbacks& callbacks = {});
// With these folds, of which no two leave out the same row; a row that none leaves out has no prediction. Each model leaves
// out rows by the groups of its fold.
POSTRIDER_EXPORT TableModel::Validation cross_validate(const Table& table,
                                                       const TableModelOptions& options,
                                                       const std::vector<Fold>& folds,
                                                       const TrainingCallbacks& callbacks = {});

// --- for estimators that were trained without a table -----------------------------------------------

// Notes with which Regressor::save() or Classifier::save() writes a file that TableModel::load() reads:
// the inputs are the schema's columns other than the target, as a TableEncoder makes them. Throws InvalidArgument if
// there is no target, or no input.
POSTRIDER_EXPORT std::map<std::string, std::string> table_notes(
    const Schema& schema, const std::vector<TableModel::Step>& history);
// Throws Error if there are none, or they make no sense.
POSTRIDER_EXPORT TableModel::Notes read_table_notes(
    const std::map<std::string, std::string>& notes);

}  // namespace postrider

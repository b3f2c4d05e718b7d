// Linear models of sparse inputs: rows of (hashed) names with values, of which each has a weight that is a Gaussian belief.
// Rows are learned one after the other, each once, or a block of them in several passes. Nothing needs tuning: prior variances of
// the weights run side by side, weighted by how well each predicted the rows before it learned them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "postrider/export.h"
#include "postrider/options.h"

namespace postrider::sparse {

// The key of an input: of a number, as LIBSVM text has them, or of a name in a field. A name without a field that is
// a number, such as "17", has the key of that number. Models depend on keys: they never change.
POSTRIDER_EXPORT std::uint64_t feature_key(std::uint64_t index);
POSTRIDER_EXPORT std::uint64_t feature_key(std::string_view field, std::string_view name);
// The number by which rows tell fields apart; 0 for the field without a name.
POSTRIDER_EXPORT std::uint32_t field_number(std::string_view field);

// Rows one after the other.
struct POSTRIDER_EXPORT FeatureRows {
  std::vector<std::uint64_t> keys;
  std::vector<float> values;          // finite
  std::vector<std::uint32_t> fields;  // of each key; empty: all in one
  std::vector<std::size_t> ends;      // of each row, among the keys
  // One for each row; empty where they are not known. For two classes, 1 for the one and 0 or -1 for the other.
  std::vector<double> targets;
  std::vector<double> weights;          // of each row, at least 0: how often it counts; empty: once
  std::vector<std::size_t> lines = {};  // of each row in its file, for messages; empty: of no file

  std::size_t size() const { return ends.size(); }
  std::size_t begin_of(std::size_t row) const { return row == 0 ? 0 : ends[row - 1]; }
  void clear();
  std::string place(std::size_t row) const;  // "line 17", or "row 3", which counts from 0
  // Throws InvalidArgument, naming the row.
  void validate(bool needs_targets) const;
};

struct POSTRIDER_EXPORT SparseOptions {
  enum class Target {
    logistic,  // two classes; a score with logistic noise is above 0
    probit,    // two classes; a score with Gaussian noise is above 0
    number     // the score with Gaussian noise, whose variance is learned
  };

  Target target = Target::logistic;
  // Passes over the rows of a fit(); each row's messages are taken out and renewed in each.
  std::size_t passes = 1;
  // Numbers of a latent vector per input: products of these of two fields are added to the score. 0: none.
  std::size_t latent = 0;
  // Whether beliefs drift from row to row, so that a stream whose rules change is followed; at which rate is found out. Rows
  // of fit() are taken as of one time.
  bool drift = false;
  std::uint64_t seed = 1;  // of the latent vectors' first means

  void validate() const;
};

// The fields of SparseOptions as rows: what they are called and what they accept, the same for all front ends.
POSTRIDER_EXPORT const std::vector<OptionInfo>& sparse_options();
POSTRIDER_EXPORT OptionValue get_sparse_option(const SparseOptions& options, std::string_view name);
POSTRIDER_EXPORT void set_sparse_option(SparseOptions& options, std::string_view name,
                                        const OptionValue& value,
                                        OptionInfo::Spelling spelling = OptionInfo::Spelling::cpp);

class POSTRIDER_EXPORT SparseModel {
 public:
  struct POSTRIDER_EXPORT Prediction {
    double mean;         // of the score; of a number, in its units
    double std;          // of the score, as far as the weights are uncertain (epistemic)
    double noise;        // standard deviation of a number's noise (aleatoric); 0 of classes
    double probability;  // of class 1; NaN of numbers

    // Standard deviation of a number with its noise.
    double total_std() const;
  };

  struct Report {
    std::size_t rows = 0;
    double log_loss =
        0;              // sum over rows of -log of what was predicted just before each was learned
    double weight = 0;  // of the rows
    std::size_t guarded = 0;  // messages that rounding or a surprise would have made improper
  };

  // Where the beliefs stand.
  struct Summary {
    std::size_t rows = 0;        // learned so far
    std::size_t weights = 0;     // that exist
    std::size_t bytes = 0;       // of the table of weights
    std::size_t most_bytes = 0;  // that it ever had, while it grew
    double log_loss = 0;         // mean over the rows, each predicted just before it was learned
    // For each of the models side by side: the weights' prior variance, for inputs of the usual size, and how much it counts.
    std::vector<double> prior_variances, shares;
    // For each of them, the share of what is known of a weight that is lost when a row touches it; 0 without drift.
    std::vector<double> drift_rates;
  };

  explicit SparseModel(const SparseOptions& options = {});
  ~SparseModel();
  SparseModel(SparseModel&&) noexcept;
  SparseModel& operator=(SparseModel&&) noexcept;

  const SparseOptions& options() const;
  Summary summary() const;

  // Learns each row once, in order. However the rows are cut into calls, the result is the same to the bit; but the units of a
  // number are taken from the first call.
  Report update(const FeatureRows& rows);
  [[deprecated("use update")]] Report learn(const FeatureRows& rows) { return update(rows); }
  // The same with `passes` passes over these rows. After the first, only models that still count stay.
  Report fit(const FeatureRows& rows);

  std::vector<Prediction> predict(const FeatureRows& rows) const;
  // One draw of each row's score, of the weights as they are believed: what Thompson sampling compares. A function of seed and
  // row, at the cost of a prediction.
  std::vector<double> sample(const FeatureRows& rows, std::uint64_t seed) const;

  // The belief in one weight: its mean and variance, the prior's if it was never touched.
  struct Weight {
    double mean, variance;
    bool touched;
  };
  Weight weight(std::uint64_t key) const;
  // Drops weights that say nothing beyond the prior: their divergence from it is below `most_nats`. Returns how many.
  std::size_t drop_idle(double most_nats = 1e-4);

  // Where a stream of events stands: of each of its partitions, the last event that was learned. The file has it beside the weights,
  // so that whoever goes on from there learns no event twice. Of a source as the user names it; empty if it was never followed.
  using Partitions = std::map<std::string, std::string>;
  const Partitions& position(const std::string& source) const;
  // All that were followed, by name.
  std::vector<std::string> sources() const;
  // Other partitions of the source stay where they are.
  void set_position(const std::string& source, const Partitions& after);

  // A safetensors file. What is learned after loading is the same to the bit.
  void save(const std::string& path) const;
  static SparseModel load(const std::string& path);

  struct State;

 private:
  // From owners of its weights: see sparse/shards.h.
  POSTRIDER_EXPORT friend SparseModel gather_owners(const std::vector<std::string>& paths);
  explicit SparseModel(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Rows of a text file, a block after the other; memory stays bounded. "-" is standard input; gzip and Zstandard are read, too.
class POSTRIDER_EXPORT FeatureFile {
 public:
  // How a text is written: LIBSVM's `label index:value ...`, or Vowpal Wabbit's `label weight 'tag|field name:value ...`.
  enum class Format { automatic, libsvm, vw };

  explicit FeatureFile(const std::string& path, Format format = Format::automatic);
  // The same of text in memory; `name` is for messages.
  static FeatureFile of_text(std::string text, const std::string& name,
                             Format format = Format::automatic);
  ~FeatureFile();
  FeatureFile(FeatureFile&&) noexcept;

  // Replaces `rows` by the next, at most so many; false at the end. Throws CorruptFile, naming the line, where the text is
  // damaged. Targets are empty if the block has none.
  bool read(FeatureRows& rows, std::size_t most = 4096);

 private:
  struct State;
  explicit FeatureFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace postrider::sparse

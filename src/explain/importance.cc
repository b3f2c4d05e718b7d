#include "postrider/importance.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/access.h"
#include "estimator/distributions.h"
#include "estimator/left_out_sample.h"
#include "estimator/predictive.h"
#include "estimator/state.h"
#include "estimator/target_score.h"
#include "estimator/unknown_inputs.h"
#include "explain/asked_rows.h"
#include "postrider/error.h"
#include "postrider/network/audit.h"
#include "text/columns.h"
#include "text/model_facts.h"

namespace postrider {
using namespace internal;

namespace internal {
namespace {

constexpr double kLeastProbability = 1e-15;

using Groups = std::vector<std::vector<std::size_t>>;

double log_of(double probability) { return std::log(std::max(kLeastProbability, probability)); }

// The log-likelihood of each row and, of a single number, the square of its error with a minus.
struct RowScoring {
  std::size_t kinds = 1;
  network::ScoresOfEachRow scores;
};

// --- rows that were not learned ----------------------------------------------------------------------

RowScoring scoring_of(const Regressor& regressor, std::vector<double> targets) {
  return {2, [&regressor, targets = std::move(targets)](std::span<const double> inputs) {
            const Distributions said = regressor.distributions(inputs);
            const std::vector<double> mean = said.moments().mean,
                                      density = said.log_densities(targets);
            std::vector<double> out;
            for (std::size_t row = 0; row < targets.size(); ++row) {
              const double miss = targets[row] - mean[row];
              out.insert(out.end(), {density[row], -miss * miss});
            }
            return out;
          }};
}

RowScoring scoring_of(const Classifier& classifier, std::vector<double> labels) {
  return {1, [&classifier, labels = std::move(labels)](std::span<const double> inputs) {
            const std::vector<double> said = classifier.predict_probabilities(inputs);
            const std::size_t classes = classifier.classes();
            std::vector<double> out;
            for (std::size_t row = 0; row < labels.size(); ++row)
              out.push_back(log_of(said[row * classes + static_cast<std::size_t>(labels[row])]));
            return out;
          }};
}

// --- rows that some members have left out ---------------------------------------------------------------
//
// In the end members learn all rows, so that what they predict of a row by now is no longer honest. What they predicted before is, and is
// kept. How a prediction moves when values of a column are exchanged hardly depends on whether the row was learned:
//   mean = honest mean + (mean of the changed row - mean of the row as it is), both by now,
//   variance = honest variance times the ratio of both.

// The members that leave out each row of the sample.
std::vector<std::vector<std::uint32_t>> leavers_of(const LeftOutSample& sample) {
  std::vector<std::vector<std::uint32_t>> out(sample.rows());
  for (std::size_t m = 0; m < sample.of_members.size(); ++m)
    for (const std::uint32_t row : sample.of_members[m].rows)
      out[row].push_back(static_cast<std::uint32_t>(m));
  return out;
}

// The sample, as the members predict it that left out a row.
class SampleScores {
 public:
  SampleScores(const EstimatorState& state, const LeftOutSample& sample)
      : model_(state.expect_fitted()),
        sample_(sample),
        leavers_(internal::leavers_of(sample)),
        workers_(state.shared_workers()),
        ensemble_(state.shared_prediction()),
        by_now_(ensemble_->predict(encoded(sample.inputs), *workers_)) {}

  std::size_t kinds() const {
    return model_.kind != ModelKind::classifier && sample_.targets_of_row == 1 ? 2 : 1;
  }
  std::vector<double> operator()(std::span<const double> values) const {
    const SparseInputs rows = encoded(values);
    std::vector<network::Network::OutputMoments> said = ensemble_->predict(rows, *workers_);
    const InputUncertainty unknown = unknown_inputs(*ensemble_, rows, said, *workers_);
    make_honest(said);
    if (model_.kind == ModelKind::classifier) return of_classes(said);
    return of_numbers(outlooks_of(model_, said, unknown));
  }

 private:
  SparseInputs encoded(std::span<const double> values) const {
    return encoded_inputs(model_, Inputs(values, sample_.rows(), sample_.columns));
  }

  void make_honest(std::vector<network::Network::OutputMoments>& said) const {
    for (std::size_t m = 0; m < said.size(); ++m) {
      const LeftOutSample::OfMember& honest = sample_.of_members[m];
      const std::size_t outputs = by_now_[m].mean.size() / sample_.rows();
      for (std::size_t k = 0; k < honest.rows.size(); ++k)
        for (std::size_t o = 0; o < outputs; ++o) {
          const std::size_t from = k * outputs + o, at = honest.rows[k] * outputs + o;
          said[m].mean[at] += honest.outputs.mean[from] - by_now_[m].mean[at];
          if (by_now_[m].variance[at] > 0)
            said[m].variance[at] *= honest.outputs.variance[from] / by_now_[m].variance[at];
        }
    }
  }

  std::vector<double> of_classes(const std::vector<network::Network::OutputMoments>& said) const {
    std::vector<std::vector<double>> each;
    for (std::size_t m = 0; m < said.size(); ++m)
      each.push_back(member_probabilities(model_, m, said[m], *workers_));
    const std::size_t classes = each.front().size() / sample_.rows();
    std::vector<double> out;
    for (std::size_t row = 0; row < sample_.rows(); ++row) {
      double sum = 0, shares = 0;
      for (const std::uint32_t m : leavers_[row]) {
        const double share = model_.members[m].share;
        sum += share * each[m][row * classes + static_cast<std::size_t>(sample_.targets[row])];
        shares += share;
      }
      out.push_back(log_of(sum / shares));
    }
    return out;
  }

  std::vector<double> of_numbers(const std::vector<Outlook>& outlooks) const {
    const std::size_t members = model_.members.size();
    std::vector<double> out;
    for (std::size_t row = 0; row < sample_.rows(); ++row) {
      double density = 0, miss = 0;
      for (std::size_t o = 0; o < sample_.targets_of_row; ++o) {
        const std::size_t place = row * sample_.targets_of_row + o;
        const TargetColumn& column = model_.targets.column(o);
        if (std::isnan(sample_.targets[place])) continue;
        std::vector<Outlook> some;
        for (const std::uint32_t m : leavers_[row]) some.push_back(outlooks[place * members + m]);
        double mean = 0;
        for (const Outlook& one : some)
          mean += one.share / sum_of_shares(some) * moments_of_member(column, one).mean;
        density += log_score(column, some, sample_.targets[place]);
        miss = sample_.targets[place] - mean;
      }
      out.push_back(density);
      if (kinds() == 2) out.push_back(-miss * miss);
    }
    return out;
  }

  const FittedModel& model_;
  const LeftOutSample& sample_;
  std::vector<std::vector<std::uint32_t>> leavers_;
  std::shared_ptr<Workers> workers_;
  std::shared_ptr<const EnsemblePrediction> ensemble_;
  std::vector<network::Network::OutputMoments> by_now_;  // of the rows as they are
};

// --- both ----------------------------------------------------------------------------------------------

// What the loss of a kind of score is, as a share of the figure that users know. Scores are log-likelihoods and squares with a minus.
double growth_of(double loss, double before, bool is_square) {
  const double share = std::max(0.0, loss) / -before;
  if (!std::isfinite(share) || !(before < 0)) return 0;
  return is_square ? std::sqrt(1 + share) - 1 : share;
}

std::vector<ColumnImportance> importance_of(std::span<const double> inputs, std::size_t columns,
                                            const Groups& groups, const RowScoring& scoring,
                                            bool grows, const ColumnImportance::Options& options) {
  const std::vector<double> before = scoring.scores(inputs);
  double mean = 0;  // of the last kind
  for (std::size_t i = scoring.kinds - 1; i < before.size(); i += scoring.kinds)
    mean += before[i] * static_cast<double>(scoring.kinds) / static_cast<double>(before.size());
  std::vector<ColumnImportance> out;
  for (const std::vector<network::PermutationLoss>& of : network::permutation_losses(
           inputs, columns, groups, scoring.scores, {options.repeats, options.seed}))
    out.push_back({"input " + std::to_string(out.size() + 1), of.front().mean,
                   of.front().standard_error,
                   grows ? growth_of(of.back().mean, mean, scoring.kinds == 2) : 0});
  return out;
}

void name_columns(const TableModel& model, const cli::ColumnGroups& columns,
                  std::vector<ColumnImportance>& to) {
  for (std::size_t k = 0; k < to.size(); ++k)
    to[k].column = model.schema().columns[columns.places[k]].name;
}

std::vector<double> targets_of(const TableModel& model, const Table& rows) {
  const Table::Column& target = rows.column(model.schema().target());
  if (!model.classifies()) return target.numbers;
  return {target.codes.begin(), target.codes.end()};
}

}  // namespace
}  // namespace internal

void ColumnImportance::Options::validate() const {
  if (rows < 2) reject("rows", rows, "must be at least 2");
  network::PermutationLoss::Options{repeats, seed}.validate();
}

std::vector<ColumnImportance> column_importance(const TableModel& model, const Table& rows,
                                                const ColumnImportance::Options& options) {
  options.validate();
  std::vector<std::size_t> all(rows.rows());
  for (std::size_t row = 0; row < all.size(); ++row) all[row] = row;
  const std::vector<std::size_t> known = cli::rows_with_target(model, rows, all);
  if (known.size() < 2)
    reject("rows", known.size(), "must be at least 2 with a value of the target " + model.target());
  const Table some = some_rows(model, rows.selected(known), options.rows);
  const std::vector<double> inputs = model.encode(some), targets = targets_of(model, some);
  const cli::ColumnGroups columns(model);
  std::vector<ColumnImportance> out =
      importance_of(inputs, model.features().size(), columns.inputs,
                    model.classifies() ? scoring_of(*model.classifier(), targets)
                                       : scoring_of(*model.regressor(), targets),
                    true, options);
  name_columns(model, columns, out);
  return out;
}

std::vector<ColumnImportance> column_importance(const TableModel& model,
                                                const ColumnImportance::Options& options) {
  const cli::ColumnGroups columns(model);
  std::vector<ColumnImportance> out = column_importance(model.estimator(), options, columns.inputs);
  name_columns(model, columns, out);
  return out;
}

std::vector<ColumnImportance> column_importance(const Estimator& estimator,
                                                const ColumnImportance::Options& options,
                                                const Groups& groups) {
  options.validate();
  const EstimatorState& state = inside_of(estimator);
  const FittedModel& model = state.expect_fitted();
  const Groups columns = sound_groups(groups, estimator.inputs());
  const std::shared_ptr<const LeftOutSample> sample = model.left_out_sample;
  if (!sample || sample->rows() < 2 || sample->of_members.size() != model.members.size()) return {};
  const SampleScores scores(state, *sample);
  return importance_of(
      sample->inputs, sample->columns, columns,
      {scores.kinds(), [&](std::span<const double> inputs) { return scores(inputs); }},
      model.kind == ModelKind::classifier || sample->targets_of_row == 1, options);
}

}  // namespace postrider

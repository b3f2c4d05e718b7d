#include "estimator/out_of_fold.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/golden_section.h"
#include "data/kept_inputs.h"
#include "estimator/predictive.h"
#include "estimator/row_scores.h"
#include "estimator/target_score.h"
#include "network/ensemble_prediction.h"
#include "train/class_scores.h"

namespace postrider::internal {
namespace {

// More rows tell a score no better than it must be known.
constexpr std::size_t kMostRowsJudged = 20000;
// Bounds of what few rows could say by chance.
constexpr double kLeastShrinking = 0.1;            // of c^2
constexpr double kLeastRatio = 1, kMostRatio = 2;  // of r
constexpr double kFarthestNoise =
    std::numbers::ln2;                     // of the logarithm of what noise is multiplied by
constexpr double kNoiseDeviation = 0.25;   // of that logarithm before rows speak
constexpr double kEpistemicDeviation = 1;  // likewise
constexpr double kLeastEpistemicScale = 0.25, kMostEpistemicScale = 1.25;
constexpr int kScaleSteps = 14, kScaleRounds = 2;  // of golden sections, one after another
constexpr std::size_t kMostRowsForScales = 4000;
constexpr double kLeastLogProbability = -700;
// Sums over the members that leave out a row.
struct Leavers {
  std::vector<double> mean, variance;  // of each output, summed
  std::vector<double> squares;         // of the means
  std::size_t count = 0;
};

std::vector<std::uint32_t> some_of(const std::vector<Leavers>& leavers) {
  std::vector<std::uint32_t> all;
  for (std::size_t row = 0; row < leavers.size(); ++row)
    if (leavers[row].count > 0) all.push_back(static_cast<std::uint32_t>(row));
  if (all.size() <= kMostRowsJudged) return all;
  std::vector<std::uint32_t> out;
  for (std::size_t k = 0; k < kMostRowsJudged; ++k)
    out.push_back(all[k * all.size() / kMostRowsJudged]);
  return out;
}

std::vector<Leavers> leavers_of(std::size_t rows, std::size_t outputs,
                                const LeftOutPredictions& left_out) {
  std::vector<Leavers> out(rows);
  for (std::size_t m = 0; m < left_out.of_members.size(); ++m) {
    const network::Network::OutputMoments& found = left_out.of_members[m];
    if (found.mean.empty()) continue;
    const std::span<const std::uint32_t> fold = left_out.folds.left_out_by(left_out.numbers[m]);
    for (std::size_t k = 0; k < fold.size(); ++k) {
      Leavers& row = out[fold[k]];
      row.mean.resize(outputs);
      row.variance.resize(outputs);
      row.squares.resize(outputs);
      ++row.count;
      for (std::size_t o = 0; o < outputs; ++o) {
        const double mean = found.mean[k * outputs + o];
        row.mean[o] += mean;
        row.squares[o] += mean * mean;
        row.variance[o] += found.variance[k * outputs + o];
      }
    }
  }
  return out;
}

// How members differ at a row: sums of squares about their mean, by degrees of freedom.
struct Differences {
  double squares = 0, freedom = 0;

  double variance() const { return freedom > 0 ? squares / freedom : 0; }
};

double square_of(double x) { return x * x; }

// Everything at one output of the judged rows.
class OneOutput {
 public:
  OneOutput(const std::vector<Leavers>& leavers, const std::vector<std::uint32_t>& rows,
            const std::vector<network::Network::OutputMoments>& all, std::size_t output,
            std::size_t outputs)
      : leavers_(leavers), rows_(rows), all_(all), output_(output), outputs_(outputs) {
    for (std::size_t k = 0; k < rows.size(); ++k) add(k);
  }

  double ratio() const {
    if (apart_.freedom == 0 || !(every_.variance() > 0)) return 1;
    return std::clamp(std::sqrt(apart_.variance() / every_.variance()), kLeastRatio, kMostRatio);
  }
  double centre(std::size_t k) const { return of(k).mean[output_] / count(k); }
  double variance(std::size_t k) const { return of(k).variance[output_] / count(k); }
  double mean_of_all(std::size_t k) const { return mean_of_all_[k]; }
  double between(std::size_t k) const { return between_[k]; }
  double count(std::size_t k) const { return static_cast<double>(of(k).count); }

 private:
  const Leavers& of(std::size_t k) const { return leavers_[rows_[k]]; }

  void add(std::size_t k) {
    double sum = 0, squares = 0;
    for (const network::Network::OutputMoments& member : all_)
      sum += member.mean[k * outputs_ + output_];
    const auto members = static_cast<double>(all_.size());
    for (const network::Network::OutputMoments& member : all_)
      squares += square_of(member.mean[k * outputs_ + output_] - sum / members);
    mean_of_all_.push_back(sum / members);
    between_.push_back(all_.size() > 1 ? squares / (members - 1) : 0);
    if (of(k).count < 2) return;
    apart_.squares += of(k).squares[output_] - count(k) * square_of(centre(k));
    apart_.freedom += count(k) - 1;
    every_.squares += squares;
    every_.freedom += members - 1;
  }

  const std::vector<Leavers>& leavers_;
  const std::vector<std::uint32_t>& rows_;
  const std::vector<network::Network::OutputMoments>& all_;
  std::size_t output_, outputs_;
  std::vector<double> mean_of_all_, between_;
  Differences apart_, every_;  // of members that leave out the same row, and of all at these rows
};

// c of the formula, for the target that this output is the mean of. The noise is that of each row.
double shrinking(const OneOutput& output, std::span<const double> targets,
                 std::span<const double> noise, std::size_t members) {
  double error = 0, lost = 0;
  const double ratio = output.ratio();
  for (std::size_t k = 0; k < targets.size(); ++k) {
    if (std::isnan(targets[k])) continue;
    const double unit = output.variance(k) + noise[k];
    error += square_of(targets[k] - output.centre(k)) / unit;
    lost += square_of(ratio) * output.between(k) / unit *
            (1 / output.count(k) - 1 / static_cast<double>(members));
  }
  if (!(error > 0)) return 1;
  return std::sqrt(std::clamp(1 - lost / error, kLeastShrinking, 1.0));
}

// Targets of one column at the judged rows.
std::vector<double> targets_at(std::span<const double> told, const std::vector<std::uint32_t>& rows,
                               std::size_t column, std::size_t columns) {
  std::vector<double> out;
  for (const std::uint32_t row : rows) out.push_back(told[row * columns + column]);
  return out;
}

// The noise variance of one target at each of the rows, as the members that leave it out expect it.
std::vector<double> noise_at_rows(const FittedModel& model, const std::vector<Leavers>& leavers,
                                  const std::vector<std::uint32_t>& rows, std::size_t column) {
  const std::size_t columns = model.targets.columns();
  const std::vector<double>& noise = model.members.front().noise_variance;
  std::vector<double> out;
  for (const std::uint32_t row : rows) {
    const Leavers& of = leavers[row];
    const auto count = static_cast<double>(of.count);
    const Outlook outlook = model.kind == ModelKind::varying_noise
                                ? outlook_of(0, 0, of.mean[columns + column] / count,
                                             of.variance[columns + column] / count, noise[0])
                                : outlook_of(0, 0, noise[column]);
    out.push_back(outlook.noise());
  }
  return out;
}

double weight_of(const Examples& rows, std::uint32_t row) {
  return rows.sample_weights.empty() ? 1 : rows.sample_weights[row];
}

// Places of judged rows and targets that are there, with what members predict of them.
class JudgedPlaces {
 public:
  JudgedPlaces(const FittedModel& model, const Examples& rows, std::span<const double> told,
               const HonestPredictions& honest)
      : rows_(rows),
        told_(told),
        honest_(honest),
        targets_(model.targets),
        columns_(model.targets.columns()),
        members_(model.members.size()),
        outlooks_(outlooks_of(model, honest.of_members, honest.unknown)) {}

  std::size_t size() const { return honest_.rows.size() * columns_; }
  std::size_t column(std::size_t place) const { return place % columns_; }
  std::uint32_t row(std::size_t place) const { return honest_.rows[place / columns_]; }
  double told(std::size_t place) const { return told_[row(place) * columns_ + column(place)]; }
  double given(std::size_t place) const {
    return rows_.targets[row(place) * columns_ + column(place)];
  }
  double weight(std::size_t place) const { return weight_of(rows_, row(place)); }
  std::span<const Outlook> at(std::size_t place) const {
    return std::span(outlooks_).subspan(place * members_, members_);
  }

  // All noise becomes so many times as large.
  void multiply_noise(double factor) {
    for (Outlook& outlook : outlooks_) outlook.scale *= factor;
  }
  void multiply_epistemic(double factor) {
    for (std::size_t place = 0; place < size(); ++place)
      scale_epistemic(std::span(outlooks_).subspan(place * members_, members_), factor);
  }
  // Those of every so many places.
  std::vector<double> log_scores(Workers& workers, std::size_t every = 1) const {
    std::vector<double> out((size() + every - 1) / every);
    workers.run(out.size(), [&](std::size_t k) {
      const std::size_t place = k * every;
      out[k] = log_score(targets_.column(column(place)), at(place), given(place));
    });
    return out;
  }

 private:
  const Examples& rows_;
  std::span<const double> told_;
  const HonestPredictions& honest_;
  TargetScales targets_;
  std::size_t columns_, members_;
  std::vector<Outlook> outlooks_;
};

// What noise, and standard deviations that are due to beliefs, are best multiplied by: those of members were learned from
// what single members miss.
struct ScaleFactors {
  double noise = 1, epistemic = 1;
};
ScaleFactors best_scales(const JudgedPlaces& places, bool noise_stays, Workers& workers) {
  const std::size_t every = std::max<std::size_t>(1, places.size() / kMostRowsForScales);
  const auto score = [&](const ScaleFactors& factors) {
    JudgedPlaces tried = places;
    tried.multiply_noise(factors.noise);
    tried.multiply_epistemic(factors.epistemic);
    const std::vector<double> found = tried.log_scores(workers, every);
    double sum = -0.5 * square_of(std::log(factors.noise) / kNoiseDeviation) -
                 0.5 * square_of(std::log(factors.epistemic) / kEpistemicDeviation);
    for (std::size_t k = 0; k < found.size(); ++k)
      if (!std::isnan(found[k])) sum += places.weight(k * every) * found[k];
    return sum;
  };
  ScaleFactors out;
  for (int round = 0; round < kScaleRounds; ++round) {
    out.epistemic =
        std::exp(golden_section(std::log(kLeastEpistemicScale), std::log(kMostEpistemicScale),
                                kScaleSteps, [&](double log_scale) {
                                  return score({out.noise, std::exp(log_scale)});
                                }));
    if (noise_stays) break;
    out.noise = std::exp(
        golden_section(-kFarthestNoise, kFarthestNoise, kScaleSteps, [&](double log_factor) {
          return score({std::exp(log_factor), out.epistemic});
        }));
  }
  return out;
}

void judge_numbers(FittedModel& model, JudgedPlaces places, bool noise_stays, Workers& workers) {
  const ScaleFactors factors = best_scales(places, noise_stays, workers);
  places.multiply_noise(factors.noise);
  places.multiply_epistemic(factors.epistemic);
  model.epistemic_scale = factors.epistemic;
  for (Member& member : model.members)
    for (double& noise : member.noise_variance) noise *= factors.noise;
  const std::vector<double> found = places.log_scores(workers);
  WeightedMean mean;
  std::vector<std::vector<double>> scores(model.targets.columns()), weights = scores;
  ScoresOfRows judged;
  for (std::size_t place = 0; place < places.size(); ++place) {
    if (std::isnan(places.told(place))) continue;
    const std::size_t column = places.column(place);
    mean.add(found[place], places.weight(place));
    scores[column].push_back(score_of(Mixture(places.at(place)).below(places.told(place))));
    if (scores.size() == 1) judged.add(places.row(place), scores[column].back());
    weights[column].push_back(places.weight(place));
  }
  model.out_of_fold = mean.score();
  model.left_out_rows = std::move(judged);
  model.left_out.clear();
  for (std::size_t o = 0; o < scores.size(); ++o)
    model.left_out.emplace_back(std::move(scores[o]), weights[o]);
}

// Classes of the judged rows, and what the members said of them.
class JudgedClasses {
 public:
  JudgedClasses(const FittedModel& model, const Examples& rows, const HonestPredictions& honest)
      : outputs_(model.shape().outputs()) {
    for (const std::uint32_t row : honest.rows) {
      labels_.push_back(static_cast<std::size_t>(rows.targets[row]));
      weights_.push_back(weight_of(rows, row));
    }
    for (std::size_t m = 0; m < honest.of_members.size(); ++m)
      networks_.push_back({honest.of_members[m], model.members[m].noise_variance.front()});
  }

  double best_temperature(Workers& workers) const {
    return class_temperature(networks_, outputs_, labels_, workers, weights_);
  }
  std::vector<double> log_probabilities(double temperature, Workers& workers) const {
    std::vector<double> out(labels_.size());
    for (const network::Trainer::NoisyScores& network : networks_) {
      const std::vector<double> own = class_probabilities_of(
          labels_, network.scores, outputs_, network.noise_variance, workers, temperature);
      for (std::size_t k = 0; k < out.size(); ++k)
        out[k] += own[k] / static_cast<double>(networks_.size());
    }
    for (double& each : out) each = std::max(std::log(each), kLeastLogProbability);
    return out;
  }
  double weight(std::size_t place) const { return weights_[place]; }
  std::vector<double> all_probabilities(double temperature, Workers& workers) const {
    std::vector<double> out;
    for (const network::Trainer::NoisyScores& network : networks_) {
      const std::vector<double> own = class_probabilities(
          network.scores, outputs_, network.noise_variance, workers, temperature);
      out.resize(own.size());
      for (std::size_t i = 0; i < out.size(); ++i)
        out[i] += own[i] / static_cast<double>(networks_.size());
    }
    return out;
  }

 private:
  std::size_t outputs_;
  std::vector<double> weights_;
  std::vector<std::size_t> labels_;
  std::vector<network::Trainer::NoisyScores> networks_;
};

void judge_classes(FittedModel& model, const JudgedClasses& classes, Workers& workers) {
  model.temperature = classes.best_temperature(workers);
  const std::vector<double> found = classes.log_probabilities(model.temperature, workers);
  WeightedMean mean;
  for (std::size_t k = 0; k < found.size(); ++k) mean.add(found[k], classes.weight(k));
  model.out_of_fold = mean.score();
}

}  // namespace

HonestPredictions honest_predictions(const FittedModel& model, const Examples& rows,
                                     std::span<const double> told_targets,
                                     const LeftOutPredictions& left_out, Workers& workers) {
  const std::size_t outputs = model.shape().outputs(), members = model.members.size();
  const std::vector<Leavers> leavers = leavers_of(rows.count(), outputs, left_out);
  HonestPredictions out{some_of(leavers), {}};
  if (out.rows.empty()) return out;
  const OwnedInputs inputs(rows.inputs, std::vector<std::size_t>(out.rows.begin(), out.rows.end()));
  const SparseInputs encoded = encoded_inputs(model, inputs);
  const EnsemblePrediction ensemble(states_of(model));
  const std::vector<network::Network::OutputMoments> all = ensemble.predict(encoded, workers);
  out.of_members = all;
  out.unknown = unknown_inputs(ensemble, encoded, all, workers);
  const std::size_t columns = model.kind == ModelKind::classifier ? 0 : model.targets.columns();
  for (std::size_t o = 0; o < outputs; ++o) {
    const OneOutput output(leavers, out.rows, all, o, outputs);
    std::vector<double> targets;
    double share = 1;
    if (o < columns) {
      targets = targets_at(told_targets, out.rows, o, columns);
      share = shrinking(output, targets, noise_at_rows(model, leavers, out.rows, o), members);
    }
    const double ratio = output.ratio();
    for (std::size_t k = 0; k < out.rows.size(); ++k) {
      double centre = output.centre(k);
      if (o < columns && !std::isnan(targets[k]))
        centre = targets[k] - share * (targets[k] - centre);
      for (std::size_t m = 0; m < members; ++m) {
        const std::size_t at = k * outputs + o;
        out.of_members[m].mean[at] = centre + ratio * (all[m].mean[at] - output.mean_of_all(k));
        out.of_members[m].variance[at] = output.variance(k);
        // What inputs leave open is the same for members that leave out the row.
        if (!out.unknown.empty())
          out.unknown.due_to_beliefs[m][at] = std::max(
              0.0, output.variance(k) - (all[m].variance[at] - out.unknown.due_to_beliefs[m][at]));
      }
    }
  }
  return out;
}

void judge_ensemble(FittedModel& model, const Examples& rows, std::span<const double> told_targets,
                    const HonestPredictions& honest, bool noise_stays, Workers& workers) {
  if (honest.rows.empty()) return;
  if (model.kind == ModelKind::classifier)
    judge_classes(model, JudgedClasses(model, rows, honest), workers);
  else
    judge_numbers(model, JudgedPlaces(model, rows, told_targets, honest), noise_stays, workers);
}

RowProbabilities left_out_probabilities(const FittedModel& model, const Examples& rows,
                                        const HonestPredictions& honest, Workers& workers) {
  if (honest.rows.empty()) return {};
  const JudgedClasses judged(model, rows, honest);
  std::vector<double> found = judged.all_probabilities(judged.best_temperature(workers), workers);
  const std::size_t classes = found.size() / honest.rows.size();
  return {honest.rows, classes, std::move(found)};
}

std::vector<double> log_likelihoods(const FittedModel& model, const Examples& rows,
                                    std::span<const double> told_targets,
                                    const HonestPredictions& honest, Workers& workers) {
  if (honest.rows.empty()) return {};
  if (model.kind == ModelKind::classifier)
    return JudgedClasses(model, rows, honest).log_probabilities(model.temperature, workers);
  const JudgedPlaces places(model, rows, told_targets, honest);
  const std::vector<double> found = places.log_scores(workers);
  std::vector<double> out(honest.rows.size());
  for (std::size_t place = 0; place < places.size(); ++place)
    if (!std::isnan(places.told(place))) out[place / model.targets.columns()] += found[place];
  return out;
}

}  // namespace postrider::internal

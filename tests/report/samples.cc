#include "report/samples.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "postrider/classifier.h"
#include "postrider/metrics.h"
#include "postrider/regressor.h"
#include "postrider/version.h"

namespace postrider::internal {
namespace {

constexpr double kNinety = 1.6448536269514722;  // deviations on either side that hold 90 %

struct Table {
  std::vector<std::string> names;
  std::vector<double> inputs, targets;

  std::size_t columns() const { return names.size(); }
  std::size_t rows() const { return targets.size(); }
  std::vector<double> column(std::size_t c) const {
    std::vector<double> out;
    for (std::size_t r = 0; r < rows(); ++r) out.push_back(inputs[r * columns() + c]);
    return out;
  }
};

struct Moments {
  double mean = 0, deviation = 0;
};

Moments moments_of(const std::vector<double>& values) {
  Moments out;
  double count = 0, squares = 0;
  for (const double v : values) {
    if (std::isnan(v)) continue;
    out.mean += v;
    ++count;
  }
  out.mean /= count;
  for (const double v : values)
    if (!std::isnan(v)) squares += (v - out.mean) * (v - out.mean);
  out.deviation = std::sqrt(squares / count);
  return out;
}

ReportColumn column_of(const std::string& name, const std::vector<double>& values) {
  constexpr std::size_t kBins = 24;
  ReportColumn out{name, "number"};
  const Moments m = moments_of(values);
  out.mean = m.mean;
  out.deviation = m.deviation;
  std::vector<double> seen = values;
  std::erase_if(seen, [](double v) { return std::isnan(v); });
  out.missing = values.size() - seen.size();
  const auto [least, largest] = std::minmax_element(seen.begin(), seen.end());
  out.least = *least;
  out.largest = *largest;
  out.counts.assign(kBins, 0);
  for (const double v : seen)
    ++out.counts[std::min(kBins - 1, static_cast<std::size_t>((v - *least) / (*largest - *least) *
                                                              static_cast<double>(kBins)))];
  return out;
}

std::vector<ReportWeights> weights_of(const network::Network& network,
                                      const std::vector<std::string>& names) {
  std::vector<ReportWeights> out;
  std::vector<std::string> inputs = names;
  std::size_t next = 0;
  for (std::size_t l = 0; l < network.options().layers.size(); ++l) {
    const network::Layer& layer = network.options().layers[l];
    const bool is_last = l + 1 == network.options().layers.size();
    ReportWeights one{is_last ? "Output layer" : "Hidden layer " + std::to_string(l + 1),
                      inputs,
                      layer.units,
                      {},
                      {}};
    one.inputs.push_back("bias");
    for (std::size_t k = 0; k < layer.units * one.inputs.size(); ++k, ++next) {
      one.mean.push_back(network.weight(next).mean());
      one.deviation.push_back(network.weight(next).std());
    }
    out.push_back(one);
    inputs.clear();
    for (std::size_t i = 0; i < layer.units; ++i) inputs.push_back("unit " + std::to_string(i + 1));
  }
  return out;
}

std::vector<ReportImportance> importances_of(const Table& test, const network::Network& network,
                                             const network::RowScore& score) {
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t c = 0; c < test.columns(); ++c) groups.push_back({c});
  const auto losses = network::permutation_importance(test.inputs, test.columns(), groups, score);
  const auto influence = network::input_influence(network);
  std::vector<ReportImportance> out;
  for (std::size_t c = 0; c < test.columns(); ++c)
    out.push_back({test.names[c], losses[c].mean, losses[c].standard_error, influence[c].strength,
                   influence[c].slope, influence[c].std});
  return out;
}

std::vector<std::size_t> order_by(const std::vector<double>& values) {
  std::vector<std::size_t> out(values.size());
  std::iota(out.begin(), out.end(), std::size_t{0});
  std::stable_sort(out.begin(), out.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  return out;
}

std::string short_text(double value) {
  if (std::isnan(value)) return "missing";
  char out[32];
  std::snprintf(out, sizeof out, "%.3g", value);
  return out;
}

std::vector<ReportFact> inputs_of(const Table& table, std::size_t row) {
  std::vector<ReportFact> out;
  for (std::size_t c = 0; c < table.columns(); ++c)
    out.push_back({table.names[c], short_text(table.inputs[row * table.columns() + c])});
  return out;
}

Table sine_table(std::size_t rows, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(-3, 3);
  Table out{{"temperature", "pressure", "supplier", "batch number"}, {}, {}};
  for (std::size_t r = 0; r < rows; ++r) {
    const double x = uniform(random), p = 100 + 15 * normal(random);
    const double supplier = random() % 2 == 0 ? 0 : 1,
                 batch = std::floor(1000 * std::abs(normal(random)));
    out.inputs.insert(out.inputs.end(), {x, r % 17 == 3 ? std::nan("") : p, supplier, batch});
    out.targets.push_back(50 + 8 * std::sin(x) + 0.12 * (p - 100) + 2 * supplier +
                          1.5 * normal(random));
  }
  return out;
}

struct FittedRegressor {
  Regressor model;
  FitReport report;
  Table training, test;
  Moments target;
};

FittedRegressor fit_sine() {
  EstimatorOptions options;
  options.hidden = {24, 16};
  options.weights_per_example = 2;
  options.ensemble_size = 2;
  options.training.max_epochs = 40;
  FittedRegressor out{Regressor(options), {}, sine_table(500, 1), sine_table(300, 2), {}};
  out.report = out.model.fit(out.training.inputs, out.training.targets).front();
  out.target = moments_of(out.training.targets);
  return out;
}

void add_predictions(const FittedRegressor& fit, ReportContent& out) {
  const Forecast forecast = fit.model.predict(fit.test.inputs);
  const Predicted predicted{forecast.mean, forecast.variance};
  ReportPredictions p{"strength, MPa", 0.9, fit.test.targets, forecast.mean, {}, {}};
  for (std::size_t r = 0; r < fit.test.rows(); ++r) {
    const double half = kNinety * std::sqrt(forecast.variance[r]);
    p.low.push_back(p.mean[r] - half);
    p.high.push_back(p.mean[r] + half);
  }
  ReportCalibration calibration{calibration_levels(), {}};
  calibration.coverage = coverage(predicted, fit.test.targets, calibration.level);
  const double rmse = root_mean_square_error(forecast.mean, fit.test.targets);
  const double fitted = log_likelihood(predicted, fit.test.targets);
  out.metrics = {{"Root mean square error", rmse, 0.92 * rmse, 1.09 * rmse,
                  "In units of the target; lower is better."},
                 {"Log-likelihood", fitted, fitted - 0.09, fitted + 0.08,
                  "Nats per row: number and width together; higher is better."},
                 {"CRPS",
                  crps(predicted, fit.test.targets),
                  {},
                  {},
                  "Like a mean absolute error for whole distributions; lower is better."},
                 {"Calibration error",
                  calibration_error(predicted, fit.test.targets),
                  {},
                  {},
                  "Above 0 intervals are too wide, below 0 too narrow."}};
  const std::vector<std::size_t> order = order_by(forecast.variance);
  const auto row = [&](std::size_t r) {
    return ReportRow{
        r + 2,
        short_text(p.mean[r]) + " ± " + short_text(kNinety * std::sqrt(forecast.variance[r])),
        short_text(p.observed[r]), p.observed[r] >= p.low[r] && p.observed[r] <= p.high[r],
        inputs_of(fit.test, r)};
  };
  for (std::size_t k = 0; k < 5; ++k) {
    out.most_certain.push_back(row(order[k]));
    out.least_certain.push_back(row(order[order.size() - 1 - k]));
  }
  out.predictions = p;
  out.calibration = calibration;
}

network::NetworkCertificate certificate_of(const FittedRegressor& fit) {
  const SparseInputs inputs = fit.model.encoded_inputs(fit.test.inputs);
  const std::vector<double> targets = fit.model.standardised_targets(fit.test.targets);
  network::NetworkCertificate::Options options;
  options.rows = 5;
  options.messages = 20;
  return network::certify_network(fit.model.network(), {inputs, targets},
                                  network::Likelihood::varying_noise, fit.model.noise_variance(),
                                  options);
}

std::vector<ReportTraining> curves(const FitReport& report, double unit) {
  ReportTraining out{"network", {}, {}, report.best_epoch};
  for (const EpochReport& epoch : report.epochs) {
    out.score.push_back(epoch.score);
    out.noise.push_back(unit * std::sqrt(epoch.typical_noise_variance));
  }
  // A second one, as of an ensemble.
  ReportTraining other = out;
  other.name = "network 2";
  out.name = "network 1";
  for (double& score : other.score) score -= 0.03;
  return {out, other};
}

}  // namespace

ReportContent regression_sample() {
  const FittedRegressor fit = fit_sine();
  ReportContent out;
  out.title = "Strength of samples";
  out.subtitle =
      "A Bayesian neural network learned strength from four columns; this page says how far to "
      "trust it.";
  out.facts = {{"Postrider", kVersion},
               {"seed", "1"},
               {"network", "4 – 24 – 16 – 1, leaky ReLU"},
               {"rule", "conditioned"},
               {"weights", std::to_string(fit.model.network().weight_count())},
               {"training rows", "500"},
               {"epochs", std::to_string(fit.report.epochs.size())},
               {"stopped because of", std::string(to_string(fit.report.reason))},
               {"training time", "0.4 s"}};
  add_predictions(fit, out);
  out.data.training_rows = fit.training.rows();
  out.data.test_rows = fit.test.rows();
  for (std::size_t c = 0; c < fit.training.columns(); ++c)
    out.data.columns.push_back(column_of(fit.training.names[c], fit.training.column(c)));
  out.data.columns[2] = {"supplier", "category",         false, 0, {}, {}, {}, {},
                         {261, 239}, {"north", "south"}, 2};
  out.data.columns.push_back(column_of("strength, MPa", fit.training.targets));
  out.data.columns.back().is_target = true;
  out.training = curves(fit.report, fit.target.deviation);
  out.importances =
      importances_of(fit.test, fit.model.network(), [&](std::span<const double> inputs) {
        return fit.model.log_likelihood(inputs, fit.test.targets);
      });
  out.weights = weights_of(fit.model.network(), fit.test.names);
  out.certificate = certificate_of(fit);
  out.command = "postrider train TRAINING.csv --target strength --hidden 24,16";
  out.headline = ReportHeadline{"strength, a number, from 4 columns, learned from 500 rows.",
                                "Typical error (root mean square), in units of strength",
                                {{"this model", 0.9, 0.05}, {"linear", 3.1, 0.2}, {"mean", 5, 0.3}},
                                "The typical error is 71 % smaller than a linear model's.",
                                "91 % of the rows lie inside their 90 % interval: as promised.",
                                true,
                                {"load: without it, predictions lose 2.1 nats per row"},
                                {}};
  out.dependences = {
      {"load", "predicted strength", {0, 1, 2}, {}, {1, 3, 2}, {0, 2, 1}, {2, 4, 3}},
      {"supplier", "predicted strength", {}, {"north", "south"}, {1, 2}, {0, 1}, {2, 3}}};
  out.time = "day";
  out.group = "supplier";
  out.has_dates = true;
  out.over_time = {{"", 1.7e9, 100, 0.1, 0.1, 1, 0.9}, {"", 1.71e9, 100, 0.4, 0.1, 1, 0.88}};
  out.by_group = {{"north", 0, 120, 0.1, 0.1, 1, 0.9}, {"south", 0, 80, -0.2, 0.1, 1.2, 0.86}};
  return out;
}

namespace {

Table ring_table(std::size_t rows, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Table out{{"<script>alert('x')</script>", "a \"quoted\" & <b>bold</b> name that is rather long"},
            {},
            {}};
  for (std::size_t r = 0; r < rows; ++r) {
    const double x = normal(random), y = normal(random);
    out.inputs.insert(out.inputs.end(), {x, y});
    out.targets.push_back(x * x + y * y + 0.4 * normal(random) > 1.4 ? 1 : 0);
  }
  return out;
}

std::vector<std::size_t> labels_of(const Table& table) {
  return {table.targets.begin(), table.targets.end()};
}

void add_reliability(const std::vector<double>& probabilities,
                     const std::vector<std::size_t>& labels, ReportContent& out) {
  constexpr std::size_t kBins = 10;
  out.reliability.assign(kBins, {});
  ReportConfusion confusion{{"inside <em>", "outside"}, std::vector<std::size_t>(4)};
  for (std::size_t r = 0; r < labels.size(); ++r) {
    const std::size_t predicted = probabilities[2 * r + 1] > 0.5 ? 1 : 0;
    const double p = probabilities[2 * r + predicted];
    ReportReliabilityBin& bin = out.reliability[std::min(
        kBins - 1, static_cast<std::size_t>(p * static_cast<double>(kBins)))];
    ++bin.rows;
    bin.probability += p;
    bin.share_right += predicted == labels[r] ? 1 : 0;
    ++confusion.counts[2 * labels[r] + predicted];
  }
  for (ReportReliabilityBin& bin : out.reliability) {
    if (bin.rows == 0) continue;
    bin.probability /= static_cast<double>(bin.rows);
    bin.share_right /= static_cast<double>(bin.rows);
  }
  out.confusion = confusion;
}

}  // namespace

ReportContent classification_sample() {
  const Table training = ring_table(500, 3), test = ring_table(400, 4);
  EstimatorOptions options;
  options.hidden = {16};
  Classifier model(options);
  const FitReport report = model.fit(training.inputs, labels_of(training)).front();
  const std::vector<double> probabilities = model.predict_probabilities(test.inputs);
  const std::vector<std::size_t> labels = labels_of(test);
  ReportContent out;
  out.title = "Inside </title><script>document.title = 'broken'</script> or outside";
  out.subtitle = "Two classes, one ring & \"names\" that try to break out of the page.";
  out.metrics = {
      {"Accuracy", accuracy(probabilities, labels), 0.86, 0.93,
       "Share of right classes; higher is better."},
      {"Log-loss", log_loss(probabilities, labels), {}, {}, "Nats per row; lower is better."},
      {"Calibration error",
       expected_calibration_error(probabilities, labels),
       {},
       {},
       "Mean distance of probabilities from shares; lower is better."}};
  add_reliability(probabilities, labels, out);
  for (std::size_t c = 0; c < 2; ++c)
    out.data.columns.push_back(column_of(training.names[c], training.column(c)));
  out.data.columns.push_back({"where <i>",
                              "category",
                              true,
                              0,
                              {},
                              {},
                              {},
                              {},
                              {240, 260},
                              {"inside <em>", "outside"},
                              2});
  for (std::size_t m = 0; m < 6; ++m) {
    ReportTraining member{"member " + std::to_string(m + 1), {}, {}, report.best_epoch};
    for (const EpochReport& epoch : report.epochs)
      member.score.push_back(epoch.score - 0.01 * static_cast<double>(m));
    out.training.push_back(member);
  }
  out.importances = importances_of(test, model.network(), [&](std::span<const double> inputs) {
    return -log_loss(model.predict_probabilities(inputs), labels);
  });
  out.weights = weights_of(model.network(), training.names);
  out.headline = ReportHeadline{"where <i>, one of 2 classes.",
                                "Log-loss in nats per row",
                                {{"this model", 0.2, 0.01}, {"<b>linear</b>", 0.69, 0.01}},
                                "Better.",
                                "Right.",
                                false,
                                {training.names[0]},
                                {"<marquee>a worry</marquee>"}};
  out.dependences = {
      {training.names[0], "probability of inside <em>", {0, 1}, {}, {0, 1}, {0, 1}, {0, 1}}};
  out.group = "<u>group</u>";
  out.by_group = {{"<s>one</s>", 0, 120, 0.9, 0.02, 0.3, 0.9}};
  out.most_certain = {{7, "outside <99 %>", "outside", true, inputs_of(test, 5)}};
  out.least_certain = {{9, "inside (51 %)", "outside", false, inputs_of(test, 7)}};
  const SparseInputs inputs = model.encoded_inputs(test.inputs);
  network::NetworkCertificate::Options certify;
  certify.rows = 4;
  certify.messages = 16;
  out.certificate =
      network::certify_network(model.network(), {inputs, test.targets},
                               network::Likelihood::classes, model.noise_variance(), certify);
  out.facts = {{"Postrider", kVersion}, {"file", "<img src=x onerror=alert(1)>"}};
  return out;
}

}  // namespace postrider::internal

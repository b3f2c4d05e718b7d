// Part 3: how the error of the backward messages falls with the signal-to-noise ratio r, by
// quadrature and by importance sampling.
#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "certify/exact_message.h"
#include "histogram.h"
#include "parts.h"
#include "postrider/graph/factor.h"

namespace postrider::experiments {
using namespace internal;
namespace {

constexpr std::size_t kBins = 500;
constexpr double kFitFrom = 12, kFitTo = 100;
constexpr double kExponentTolerance = 0.1;
constexpr double kResolved = 10;      // times the floor of sampling
constexpr double kSamplingGap = 0.1;  // accepted there

double squared_ratio(double mean, double snr) { return (mean / snr) * (mean / snr); }

// Edges z, x, y. The setting of the paper.
std::vector<Gaussian> product_messages(double r) {
  return {Gaussian::from_moments(10, squared_ratio(10, r)), Gaussian::from_moments(3, 1),
          Gaussian::from_moments(4, squared_ratio(4, r))};
}

// Edges y, x. The paper gives no message from Y: we take N(1, 1).
std::vector<Gaussian> relu_messages(double r) {
  return {Gaussian::from_moments(1, 1), Gaussian::from_moments(1, squared_ratio(1, r))};
}

// The exact message of the product in closed form: N(mean_z; x mean_y, var_z + x^2 var_y).
double product_log_message(const std::vector<Gaussian>& in, double x) {
  const double variance = in[0].variance() + x * x * in[2].variance();
  return Gaussian::from_moments(x * in[2].mean(), variance).log_density(in[0].mean());
}

struct Curves {
  std::vector<double> direct, conditioned;  // by quadrature
  std::vector<double> sampled;              // direct, by importance sampling
  std::vector<double> between_quantiles;    // direct, by quadrature over the histogram's range
  std::vector<double> floor;                // what sampling alone adds: (bins - 1)/(2 samples)

  void add(const LogDensity& log_marginal, const Tabulated& exact, const Gaussian& by_direct,
           const Gaussian& by_conditioned, std::vector<WeightedSample> samples);
};

void Curves::add(const LogDensity& log_marginal, const Tabulated& exact, const Gaussian& by_direct,
                 const Gaussian& by_conditioned, std::vector<WeightedSample> samples) {
  direct.push_back(kl_divergence(exact, by_direct));
  conditioned.push_back(kl_divergence(exact, by_conditioned));
  const Histogram histogram = weighted_histogram(std::move(samples), kBins);
  const double low = histogram.edges.front(), high = histogram.edges.back();
  sampled.push_back(histogram.kl_to(by_direct));
  between_quantiles.push_back(kl_divergence(Tabulated(log_marginal, {low, high}), by_direct) +
                              std::log(mass_between(by_direct, low, high)));
  floor.push_back((kBins - 1) / (2 * histogram.effective_samples));
}

// p of kl ~ r^p within the range of the fit.
double exponent(const std::vector<double>& r, const std::vector<double>& kl) {
  std::vector<double> x, y;
  for (std::size_t i = 0; i < r.size(); ++i) {
    if (r[i] < kFitFrom || r[i] > kFitTo) continue;
    x.push_back(r[i]);
    y.push_back(kl[i]);
  }
  return power_law_exponent(x, y).value();
}

double level(const std::vector<double>& r, const std::vector<double>& kl) {
  std::vector<double> products;
  for (std::size_t i = 0; i < r.size(); ++i)
    if (r[i] >= kFitFrom) products.push_back(kl[i] * r[i] * r[i]);
  std::sort(products.begin(), products.end());
  return products[products.size() / 2];
}

Curves product_curves(const std::vector<double>& snrs, const Settings& settings) {
  const auto factor = graph::make_factor("product");
  Curves out;
  for (std::size_t i = 0; i < snrs.size(); ++i) {
    const std::vector<Gaussian> in = product_messages(snrs[i]);
    const auto log_marginal = [&](double x) {
      return in[1].log_density(x) + product_log_message(in, x);
    };
    const Tabulated exact(log_marginal, gaussian_range(in[1].mean(), in[1].variance(), {}));
    const Gaussian direct = factor->send(1, graph::Rule::direct, in).message * in[1];
    const Gaussian conditioned = factor->send(1, graph::Rule::conditioned, in).message * in[1];
    RandomStream random(settings.seed, i);
    std::vector<WeightedSample> samples(sample_count(settings));
    for (WeightedSample& s : samples) {
      s.value = in[1].mean() + in[1].std() * random.normal();
      const double y = in[2].mean() + in[2].std() * random.normal();
      s.weight = std::exp(in[0].log_density(s.value * y) - in[0].log_density(in[0].mean()));
    }
    out.add(log_marginal, exact, direct, conditioned, std::move(samples));
  }
  return out;
}

Curves relu_curves(const std::vector<double>& snrs, const Settings& settings) {
  const auto factor = graph::make_factor("leaky_relu", {{"slope", {0.1}}});
  Curves out;
  for (std::size_t i = 0; i < snrs.size(); ++i) {
    const std::vector<Gaussian> in = relu_messages(snrs[i]);
    const ExactMessage message(*factor, 1, in);
    const auto log_marginal = [&](double x) { return in[1].log_density(x) + message.log_value(x); };
    const Gaussian direct = factor->send(1, graph::Rule::direct, in).message * in[1];
    const Gaussian conditioned = factor->send(1, graph::Rule::conditioned, in).message * in[1];
    RandomStream random(settings.seed, 1000 + i);
    std::vector<WeightedSample> samples(sample_count(settings));
    for (WeightedSample& s : samples) {
      s.value = in[1].mean() + in[1].std() * random.normal();
      const double y = factor->evaluate({{s.value}});
      s.weight = std::exp(in[0].log_density(y) - in[0].log_density(in[0].mean()));
    }
    out.add(log_marginal, message.marginal(), direct, conditioned, std::move(samples));
  }
  return out;
}

Object columns(const std::vector<double>& snrs, const Curves& curves) {
  return {{"snr", {snrs}},
          {"direct_kl", {curves.direct}},
          {"conditioned_kl", {curves.conditioned}},
          {"sampled_direct_kl", {curves.sampled}},
          {"direct_kl_between_quantiles", {curves.between_quantiles}},
          {"sampling_floor", {curves.floor}}};
}

// Where sampling can resolve the KL (ten times its floor), how far the two are apart, relatively,
// over the same range and with the floor taken off.
double sampling_gap(const Curves& curves) {
  double worst = 0;
  for (std::size_t i = 0; i < curves.direct.size(); ++i) {
    const double exact = curves.between_quantiles[i];
    if (exact < kResolved * curves.floor[i]) continue;
    worst = std::max(worst, std::abs(curves.sampled[i] - curves.floor[i] - exact) / exact);
  }
  return worst;
}

}  // namespace

Part snr(const Settings& settings) {
  const std::vector<double> snrs = logarithmic_steps(1, 100, settings.quick ? 13 : 41);
  const Curves product = product_curves(snrs, settings), relu = relu_curves(snrs, settings);
  const double product_exponent = exponent(snrs, product.direct);
  const double relu_exponent = exponent(snrs, relu.direct);
  bool monotone = true;
  for (std::size_t i = 1; i < snrs.size(); ++i)
    monotone = monotone && product.direct[i] <= product.direct[i - 1];
  return {"snr",
          {{"product_exponent", {product_exponent}},
           {"relu_exponent", {relu_exponent}},
           {"product_level", {level(snrs, product.direct)}},
           {"relu_level", {level(snrs, relu.direct)}},
           {"product_conditioned_level", {level(snrs, product.conditioned)}},
           {"fit_from", {kFitFrom}},
           {"fit_to", {kFitTo}},
           {"product_monotone", {monotone}},
           {"product_sampling_gap", {sampling_gap(product)}},
           {"relu_sampling_gap", {sampling_gap(relu)}},
           {"samples", {static_cast<std::int64_t>(sample_count(settings))}},
           {"note",
            {std::string(
                "leaky ReLU: slope 0.1, message from Y N(1, 1), which the paper does not give")}},
           {"product", {columns(snrs, product)}},
           {"relu", {columns(snrs, relu)}}},
          {{"product: KL falls like r^" + std::to_string(product_exponent) + ", within 0.1 of -2",
            std::abs(product_exponent + 2) <= kExponentTolerance},
           {"leaky ReLU: KL falls like r^" + std::to_string(relu_exponent) + ", within 0.1 of -2",
            std::abs(relu_exponent + 2) <= kExponentTolerance},
           {"importance sampling agrees with quadrature where it resolves the KL, to " +
                std::to_string(std::max(sampling_gap(product), sampling_gap(relu))),
            settings.quick || std::max(sampling_gap(product), sampling_gap(relu)) < kSamplingGap}}};
}

}  // namespace postrider::experiments

// Part 3: how the error of the backward messages falls with the signal-to-noise ratio r, by
// quadrature and by importance sampling.
#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "certify/divergence.h"
#include "certify/exact_message.h"
#include "certify/rate.h"
#include "histogram.h"
#include "postrider/factor.h"
#include "result.h"

namespace postrider::validation {
namespace {

constexpr std::size_t kBins = 500;
constexpr double kFitFrom = 12, kFitTo = 100;
constexpr double kExponentTolerance = 0.1;

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
  std::vector<double> direct, conditioned, sampled, effective;
};

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
  const auto factor = make_factor("product");
  Curves out;
  for (std::size_t i = 0; i < snrs.size(); ++i) {
    const std::vector<Gaussian> in = product_messages(snrs[i]);
    const Tabulated exact(
        [&](double x) { return in[1].log_density(x) + product_log_message(in, x); },
        gaussian_range(in[1].mean(), in[1].variance(), {}));
    const Gaussian direct = factor->send(1, Rule::direct, in).message * in[1];
    const Gaussian conditioned = factor->send(1, Rule::conditioned, in).message * in[1];
    out.direct.push_back(kl_divergence(exact, direct));
    out.conditioned.push_back(kl_divergence(exact, conditioned));

    RandomStream random(settings.seed, i);
    std::vector<WeightedSample> samples(settings.samples());
    for (WeightedSample& s : samples) {
      s.value = in[1].mean() + in[1].deviation() * random.normal();
      const double y = in[2].mean() + in[2].deviation() * random.normal();
      s.weight = std::exp(in[0].log_density(s.value * y) - in[0].log_density(in[0].mean()));
    }
    const Histogram histogram = weighted_histogram(std::move(samples), kBins);
    out.sampled.push_back(histogram.kl_to(direct));
    out.effective.push_back(histogram.effective_samples);
  }
  return out;
}

Curves relu_curves(const std::vector<double>& snrs, const Settings& settings) {
  const auto factor = make_factor("leaky_relu", {{"slope", {0.1}}});
  Curves out;
  for (std::size_t i = 0; i < snrs.size(); ++i) {
    const std::vector<Gaussian> in = relu_messages(snrs[i]);
    const Tabulated exact = ExactMessage(*factor, 1, in).marginal();
    const Gaussian direct = factor->send(1, Rule::direct, in).message * in[1];
    const Gaussian conditioned = factor->send(1, Rule::conditioned, in).message * in[1];
    out.direct.push_back(kl_divergence(exact, direct));
    out.conditioned.push_back(kl_divergence(exact, conditioned));

    RandomStream random(settings.seed, 1000 + i);
    std::vector<WeightedSample> samples(settings.samples());
    for (WeightedSample& s : samples) {
      s.value = in[1].mean() + in[1].deviation() * random.normal();
      const double y = factor->evaluate({{s.value}});
      s.weight = std::exp(in[0].log_density(y) - in[0].log_density(in[0].mean()));
    }
    const Histogram histogram = weighted_histogram(std::move(samples), kBins);
    out.sampled.push_back(histogram.kl_to(direct));
    out.effective.push_back(histogram.effective_samples);
  }
  return out;
}

Object columns(const std::vector<double>& snrs, const Curves& curves) {
  // A histogram of B bins from n samples has a KL of about (B - 1)/(2 n) to its own source.
  std::vector<double> floor;
  for (const double n : curves.effective) floor.push_back((kBins - 1) / (2 * n));
  return {{"snr", {snrs}},
          {"direct_kl", {curves.direct}},
          {"conditioned_kl", {curves.conditioned}},
          {"sampled_direct_kl", {curves.sampled}},
          {"sampling_floor", {floor}}};
}

// Where sampling can resolve the KL (three times its floor), how far it is from quadrature.
double sampling_gap(const Curves& curves) {
  double worst = 0;
  for (std::size_t i = 0; i < curves.direct.size(); ++i) {
    const double floor = (kBins - 1) / (2 * curves.effective[i]);
    if (curves.direct[i] < 30 * floor) continue;
    worst =
        std::max(worst, std::abs(curves.sampled[i] - floor - curves.direct[i]) / curves.direct[i]);
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
           {"samples", {static_cast<std::int64_t>(settings.samples())}},
           {"note",
            {std::string(
                "leaky ReLU: slope 0.1, message from Y N(1, 1), which the paper does not give")}},
           {"product", {columns(snrs, product)}},
           {"relu", {columns(snrs, relu)}}},
          {{"product: KL falls like r^" + std::to_string(product_exponent) + ", within 0.1 of -2",
            std::abs(product_exponent + 2) <= kExponentTolerance},
           {"leaky ReLU: KL falls like r^" + std::to_string(relu_exponent) + ", within 0.1 of -2",
            std::abs(relu_exponent + 2) <= kExponentTolerance}}};
}

}  // namespace postrider::validation

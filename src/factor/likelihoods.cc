#include "factor/likelihoods.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "base/check.h"
#include "factor/density_site.h"
#include "factor/nested_site.h"
#include "math/normal-inl.h"
#include "postrider/error.h"

namespace postrider::internal {
namespace {

namespace lanes = HWY_NAMESPACE;

// Where the logarithm of a density is not concave its message may take precision away, up to this share of the cavity's.
constexpr double kLeastPrecision = -0.95;

double of_row(const std::vector<double>& values, std::uint32_t row) {
  return values.size() == 1 ? values[0] : values[row];
}

// log 1/(1 + exp(-z)).
double log_logistic(double z) {
  return z < 0 ? z - std::log1p(std::exp(z)) : -std::log1p(std::exp(-z));
}
double log_probit(double z) { return lanes::log_normal_cdf(z); }

double log_gaussian(double gap, double variance) {
  return -0.5 * (kLogTwoPi + std::log(variance) + gap * gap / variance);
}

// log (F(high) - F(low)) of a distribution that is symmetric about 0, from its lower tail, where it has all digits.
double log_between(double (*log_cdf)(double), double low, double high) {
  if (low + high > 0) std::tie(low, high) = std::pair(-high, -low);
  const double upper = log_cdf(high);
  return low == -std::numeric_limits<double>::infinity()
             ? upper
             : upper + std::log1p(-std::exp(log_cdf(low) - upper));
}

using OneEdge = double (*)(const Observations& data, std::uint32_t row, double z);

double bernoulli_logit(const Observations& data, std::uint32_t row, double z) {
  return log_logistic(data.y[row] > 0 ? z : -z);
}
double bernoulli_probit(const Observations& data, std::uint32_t row, double z) {
  return log_probit(data.y[row] > 0 ? z : -z);
}
double binomial_logit(const Observations& data, std::uint32_t row, double z) {
  const double y = data.y[row], n = of_row(data.parameters, row);
  return y * log_logistic(z) + (n - y) * log_logistic(-z) + std::lgamma(n + 1) -
         std::lgamma(y + 1) - std::lgamma(n - y + 1);
}
double poisson(const Observations& data, std::uint32_t row, double z) {
  const double y = data.y[row];
  return y * z - std::exp(z) - std::lgamma(y + 1);
}
double negative_binomial(const Observations& data, std::uint32_t row, double z) {
  const double y = data.y[row], r = of_row(data.parameters, row);
  // p = exp(z)/(r + exp(z)) by the logistic of z - log r.
  const double logit = z - std::log(r);
  return std::lgamma(y + r) - std::lgamma(r) - std::lgamma(y + 1) + y * log_logistic(logit) +
         r * log_logistic(-logit);
}
// gap^2 exp(-z), which is 0 where gap is, also where exp(-z) has no value.
double in_variances(double gap, double z) { return gap == 0 ? 0 : gap * gap * std::exp(-z); }

// N(y; 0, exp(z)).
double zero_mean_log_variance(const Observations& data, std::uint32_t row, double z) {
  return -0.5 * (kLogTwoPi + z + in_variances(data.y[row], z));
}
double student_t(const Observations& data, std::uint32_t row, double z) {
  const double scale = of_row(data.parameters, row), nu = of_row(data.second_parameters, row);
  const double gap = (data.y[row] - z) / scale;
  return std::lgamma(0.5 * (nu + 1)) - std::lgamma(0.5 * nu) -
         0.5 * std::log(nu * std::numbers::pi) - std::log(scale) -
         0.5 * (nu + 1) * std::log1p(gap * gap / nu);
}
double ordinal(const Observations& data, double (*log_cdf)(double), std::uint32_t row, double z) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  const std::vector<double>& cuts = data.parameters;
  const auto level = static_cast<std::size_t>(data.y[row]);
  return log_between(log_cdf, level == 0 ? -kFar : cuts[level - 1] - z,
                     level == cuts.size() ? kFar : cuts[level] - z);
}
double ordinal_probit(const Observations& data, std::uint32_t row, double z) {
  return ordinal(data, log_probit, row, z);
}
double ordinal_logit(const Observations& data, std::uint32_t row, double z) {
  return ordinal(data, log_logistic, row, z);
}

constexpr LikelihoodInfo kLikelihoods[]{
    {"bernoulli_logit", "1/(1 + exp(-z)) of y = 1", 1},
    {"bernoulli_probit", "Phi(z) of y = 1", 1},
    {"binomial_logit", "Binomial(y; trials, 1/(1 + exp(-z)))", 1, "trials"},
    {"poisson", "Poisson(y; exp(z))", 1},
    {"negative_binomial", "NegativeBinomial(y; exp(z), dispersion)", 1, "dispersion"},
    {"student_t", "StudentT(y; z, scale, degrees_of_freedom)", 1, "scale", "degrees_of_freedom"},
    {"ordinal_probit", "Phi(cut - z) of y at most its level", 1, "cuts"},
    {"ordinal_logit", "1/(1 + exp(z - cut)) of y at most its level", 1, "cuts"},
    {"log_variance", "N(y; 0, exp(z))", 1},
    {"normal_log_variance", "N(y; v, exp(u))", 2},
    {"normal_product", "N(y; u v, std^2)", 2, "std"},
    {"item_probit", "Phi(u v) of y = 1", 2},
};

OneEdge one_edge_density(std::string_view name) {
  if (name == "bernoulli_logit") return bernoulli_logit;
  if (name == "bernoulli_probit") return bernoulli_probit;
  if (name == "binomial_logit") return binomial_logit;
  if (name == "poisson") return poisson;
  if (name == "negative_binomial") return negative_binomial;
  if (name == "student_t") return student_t;
  if (name == "ordinal_probit") return ordinal_probit;
  if (name == "ordinal_logit") return ordinal_logit;
  check(name == "log_variance", "every likelihood of one edge has a density");
  return zero_mean_log_variance;
}

bool is_ordinal(const LikelihoodInfo& of) { return of.parameter == "cuts"; }

// --- what rows may hold ------------------------------------------------------------------------------

bool is_count(double y) { return y >= 0 && y == std::floor(y) && std::isfinite(y); }

void check_parameters(const std::string& name, const std::vector<double>& values,
                      std::size_t rows) {
  if (values.size() != 1 && values.size() != rows)
    reject(name, values.size(),
           fmt::format("must be one number, or one for each of the {} rows", rows));
  for (const double value : values)
    if (!(value > 0 && std::isfinite(value))) reject(name, value, "must be above 0");
}

void check_cuts(const std::string& name, const std::vector<double>& cuts) {
  if (cuts.empty()) reject(name, "none", "an ordinal likelihood needs at least one");
  for (std::size_t k = 0; k < cuts.size(); ++k)
    if (!std::isfinite(cuts[k]) || (k > 0 && !(cuts[k] > cuts[k - 1])))
      reject(name, cuts[k], "must be finite and above the one before");
}

void check_observed(const LikelihoodInfo& of, const Observations& data, std::string_view observed,
                    bool is_one) {
  for (std::size_t row = 0; row < data.y.size(); ++row) {
    const double y = data.y[row];
    const std::string field = is_one ? std::string(observed) : fmt::format("{}[{}]", observed, row);
    if (of.name.starts_with("bernoulli") || of.name == "item_probit") {
      if (y != 0 && y != 1) reject(field, y, "must be 0 or 1");
    } else if (of.name == "binomial_logit") {
      const double n = of_row(data.parameters, static_cast<std::uint32_t>(row));
      if (!is_count(y) || y > n)
        reject(field, y, fmt::format("must be a whole number from 0 to {}", n));
    } else if (of.name == "poisson" || of.name == "negative_binomial") {
      if (!is_count(y)) reject(field, y, "must be a whole number of at least 0");
    } else if (is_ordinal(of)) {
      if (!is_count(y) || y > static_cast<double>(data.parameters.size()))
        reject(field, y, fmt::format("must be a level from 0 to {}", data.parameters.size()));
    } else if (!std::isfinite(y)) {
      reject(field, y, "must be finite");
    }
  }
}

void check_data(const LikelihoodInfo& of, const Observations& data, std::string_view observed,
                std::string_view prefix) {
  const auto named = [&](std::string_view parameter) {
    return fmt::format("{}{}", prefix, parameter);
  };
  if (is_ordinal(of))
    check_cuts(named(of.parameter), data.parameters);
  else if (!of.parameter.empty())
    check_parameters(named(of.parameter), data.parameters, data.y.size());
  if (!of.second_parameter.empty())
    check_parameters(named(of.second_parameter), data.second_parameters, data.y.size());
  check_observed(of, data, observed, !prefix.empty());
}

// --- two edges ---------------------------------------------------------------------------------------

using Data = std::shared_ptr<const Observations>;

// The last edge with its offset, and the first of two.
double shifted(const Observations& data, std::uint32_t row, double z) {
  if (data.offsets.empty()) return z;
  return z + (data.offsets.size() == data.y.size() ? data.offsets[row] : data.offsets[2 * row + 1]);
}
double first_shifted(const Observations& data, std::uint32_t row, double u) {
  return data.offsets.size() == 2 * data.y.size() ? u + data.offsets[2 * row] : u;
}

// N(y; v, s2) times N(v; m, c).
GivenFirst given_gaussian(double y, double s2, double mean, double variance) {
  const double sum = variance + s2;
  return {log_gaussian(y - mean, sum), mean + variance / sum * (y - mean), variance * s2 / sum};
}

// u is log-variance: where exp(u) has no value, neither is there a density.
std::unique_ptr<SiteRule> log_variance_site(const Data& data) {
  const auto gap_of = [data](std::uint32_t row) { return data->y[row] - shifted(*data, row, 0); };
  return nested_site(
      [data, gap_of](std::uint32_t row, double first, double mean, double variance) {
        const double u = first_shifted(*data, row, first);
        const double s2 = std::exp(u);
        if (!std::isfinite(s2)) return GivenFirst{std::nan(""), mean, variance};
        return given_gaussian(gap_of(row), s2, mean, variance);
      },
      [data, gap_of](std::uint32_t row, double first, double v) {
        const double u = first_shifted(*data, row, first);
        const double gap = gap_of(row) - v;
        return -0.5 * (kLogTwoPi + u + in_variances(gap, u));
      },
      kLeastPrecision);
}

// N(y; u v, s2) as of v: with w = u v ~ N(u m, u2 c) the tilted w, and v = w/u; from the gain of v instead, which is right at u = 0.
std::unique_ptr<SiteRule> product_site(const Data& data) {
  return nested_site(
      [data](std::uint32_t row, double first, double mean, double variance) {
        const double u = first_shifted(*data, row, first);
        const double std = of_row(data->parameters, row);
        const double center = shifted(*data, row, mean);
        const double sum = u * u * variance + std * std, gap = data->y[row] - u * center;
        return GivenFirst{log_gaussian(gap, sum), mean + u * variance / sum * gap,
                          variance * std * std / sum};
      },
      [data](std::uint32_t row, double first, double v) {
        const double u = first_shifted(*data, row, first);
        const double std = of_row(data->parameters, row);
        return log_gaussian(data->y[row] - u * shifted(*data, row, v), std * std);
      },
      kLeastPrecision);
}

// Phi(s u v) as of v: with D = 1 + u2 c and t = s u m/sqrt(D), the step's v(t) and w(t) as in factor/tilted-inl.h.
std::unique_ptr<SiteRule> item_site(const Data& data) {
  return nested_site(
      [data](std::uint32_t row, double first, double mean, double variance) {
        const double u = first_shifted(*data, row, first);
        const double slope = data->y[row] > 0 ? u : -u;
        const double d = 1 + u * u * variance;
        const double t = slope * shifted(*data, row, mean) / std::sqrt(d);
        const auto cut = lanes::truncated_normal(t);
        return GivenFirst{lanes::log_normal_cdf(t), mean + variance * slope * cut.v / std::sqrt(d),
                          variance * (1 - u * u * variance * cut.w / d)};
      },
      [data](std::uint32_t row, double first, double v) {
        const double u = first_shifted(*data, row, first);
        const double z = u * shifted(*data, row, v);
        return log_probit(data->y[row] > 0 ? z : -z);
      },
      kLeastPrecision);
}

std::unique_ptr<SiteRule> one_edge_site(const LikelihoodInfo& of, const Data& data, Nodes nodes) {
  return density_site(
      [data, log_density = one_edge_density(of.name)](
          std::span<const std::uint32_t> rows, std::size_t per_row, std::span<const double> z,
          std::span<double> out) {
        for (std::size_t k = 0; k < out.size(); ++k) {
          const std::uint32_t row = rows[k / per_row];
          out[k] = log_density(*data, row, shifted(*data, row, z[k]));
        }
      },
      1, of.name == "student_t" ? kLeastPrecision : 0, nodes);
}

}  // namespace

std::span<const LikelihoodInfo> likelihoods() { return kLikelihoods; }

const LikelihoodInfo& likelihood_info(std::string_view name) {
  const auto found = std::ranges::find(kLikelihoods, name, &LikelihoodInfo::name);
  if (found != std::end(kLikelihoods)) return *found;
  std::vector<std::string_view> names;
  for (const LikelihoodInfo& each : kLikelihoods) names.push_back(each.name);
  reject("likelihood", name, fmt::format("must be one of {}", fmt::join(names, ", ")));
}

std::unique_ptr<SiteRule> likelihood(std::string_view name, Observations observations,
                                     std::string_view observed, std::string_view prefix,
                                     Nodes nodes) {
  const LikelihoodInfo& of = likelihood_info(name);
  check_data(of, observations, observed, prefix);
  const Data data = std::make_shared<const Observations>(std::move(observations));
  if (of.name == "normal_log_variance") return log_variance_site(data);
  if (of.name == "normal_product") return product_site(data);
  if (of.name == "item_probit") return item_site(data);
  return one_edge_site(of, data, nodes);
}

}  // namespace postrider::internal

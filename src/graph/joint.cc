// What a joint model consists of, its belief for given messages, and what can be asked of it. The messages of its sites are found in
// joint_sites.cc.
#include "graph/joint.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"

namespace postrider::internal {
namespace {

using Entry = SparsePrecision::Entry;

constexpr std::size_t kRowsAtOnce =
    100'000;  // of all points for which densities are asked together

// The lower half of a matrix over some variables, in a fixed order.
void append_entries(std::span<const std::uint32_t> variables, std::vector<Entry>& entries) {
  for (std::size_t i = 0; i < variables.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j) entries.push_back({variables[i], variables[j]});
}
void append_entries(const LinearTerms& terms, std::vector<Entry>& entries) {
  if (terms.is_shared()) return append_entries(terms.variables, entries);
  for (std::size_t row = 0; row < terms.rows; ++row) append_entries(terms.of_row(row), entries);
}

void check_terms(const LinearTerms& terms, std::size_t variables) {
  check(terms.variables.size() == terms.width || terms.variables.size() == terms.rows * terms.width,
        "variables stand once or for each row");
  check(terms.weights.size() == terms.rows * terms.edges * terms.width, "a weight for each term");
  for (const std::uint32_t variable : terms.variables)
    check(variable < variables, "a term's variable is one of the model's");
}

// An entry stands for both halves of a symmetric matrix. Where a row names a variable twice both lie on the diagonal, as one.
double copies_of(std::span<const std::uint32_t> variables, std::size_t i, std::size_t j) {
  return i != j && variables[i] == variables[j] ? 2 : 1;
}

double combined(std::span<const double> weights, std::span<const std::uint32_t> variables,
                std::span<const double> x) {
  double out = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) out += weights[k] * x[variables[k]];
  return out;
}

}  // namespace

void JointModel::add_variables(std::size_t count) {
  size_ += count;
  precision_.reset();
}

std::size_t JointModel::add_gaussian(GaussianTerms terms) {
  check_terms(terms.terms, size_);
  check(terms.terms.edges == 1 && terms.targets.size() == terms.terms.rows &&
            terms.precisions.size() == terms.terms.rows,
        "a Gaussian factor has one edge, one target and one precision");
  gaussians_.push_back(std::move(terms));
  precision_.reset();
  return gaussians_.size() - 1;
}

std::size_t JointModel::add_block(BlockTerms terms) {
  check(terms.variables.size() == terms.rows * terms.width, "variables for each row");
  for (const std::uint32_t variable : terms.variables)
    check(variable < size_, "a block's variable is one of the model's");
  blocks_.push_back(std::move(terms));
  precision_.reset();
  return blocks_.size() - 1;
}

std::size_t JointModel::add_sites(LinearTerms terms, std::shared_ptr<const SiteRule> rule) {
  check_terms(terms, size_);
  check(rule->edges() == terms.edges, "a site has the edges of its rule");
  Site site;
  site.messages.resize(terms.rows);
  site.tilted.resize(terms.rows);
  site.beliefs.resize(terms.rows);
  site.cavities.resize(terms.rows);
  site.terms = std::move(terms);
  site.rule = std::move(rule);
  sites_.push_back(std::move(site));
  precision_.reset();
  return sites_.size() - 1;
}

void JointModel::remove_gaussian(std::size_t which) {
  gaussians_[which] = {};
  precision_.reset();
}
void JointModel::remove_block(std::size_t which) {
  blocks_[which] = {};
  precision_.reset();
}
void JointModel::remove_sites(std::size_t which) {
  sites_[which] = {};
  precision_.reset();
}

void JointModel::forget_messages() {
  for (Site& site : sites_) {
    std::fill(site.messages.begin(), site.messages.end(), SiteMessage{});
    std::fill(site.tilted.begin(), site.tilted.end(), Tilted{});
  }
}

void JointModel::analyse() {
  entries_.clear();
  for (const GaussianTerms& gaussian : gaussians_) append_entries(gaussian.terms, entries_);
  for (const BlockTerms& block : blocks_)
    for (std::size_t row = 0; row < block.rows; ++row)
      append_entries(std::span(block.variables).subspan(row * block.width, block.width), entries_);
  fixed_entries_ = entries_.size();
  for (Site& site : sites_) {
    site.first_entry = entries_.size();
    append_entries(site.terms, entries_);
  }
  precision_.emplace(size_, entries_);
  values_.assign(entries_.size(), 0.0);
  information_.assign(size_, 0.0);
}

void JointModel::set_fixed_values() {
  std::fill(values_.begin(), values_.end(), 0.0);
  fixed_information_.assign(size_, 0.0);
  double* value = values_.data();
  for (const GaussianTerms& gaussian : gaussians_) {
    const LinearTerms& terms = gaussian.terms;
    double* const shared = value;
    for (std::size_t row = 0; row < terms.rows; ++row) {
      if (terms.is_shared()) value = shared;
      const std::span<const double> weights = terms.weights_of(row);
      const std::span<const std::uint32_t> variables = terms.of_row(row);
      const double precision = gaussian.precisions[row];
      for (std::size_t i = 0; i < terms.width; ++i) {
        const double scaled = precision * weights[i];
        fixed_information_[variables[i]] += scaled * gaussian.targets[row];
        for (std::size_t j = 0; j <= i; ++j)
          *value++ += copies_of(variables, i, j) * scaled * weights[j];
      }
    }
    if (terms.rows == 0 && terms.is_shared()) value += terms.width * (terms.width + 1) / 2;
  }
  for (const BlockTerms& block : blocks_)
    for (std::size_t row = 0; row < block.rows; ++row) {
      const std::span<const double> precision = block.precision_of(row), mean = block.mean_of(row);
      const auto variables =
          std::span<const std::uint32_t>(block.variables).subspan(row * block.width, block.width);
      for (std::size_t i = 0; i < block.width; ++i) {
        const std::span<const double> line = precision.subspan(i * block.width, block.width);
        double information = 0;
        for (std::size_t j = 0; j < block.width; ++j) information += line[j] * mean[j];
        fixed_information_[block.variables[row * block.width + i]] += information;
        for (std::size_t j = 0; j <= i; ++j) *value++ += copies_of(variables, i, j) * line[j];
      }
    }
}

// Q and h with the messages that are there, factorised; false if Q is not positive definite.
bool JointModel::update_belief() {
  std::fill(values_.begin() + static_cast<std::ptrdiff_t>(fixed_entries_), values_.end(), 0.0);
  information_ = fixed_information_;
  for (const Site& site : sites_) {
    double* value = values_.data() + site.first_entry;
    const LinearTerms& terms = site.terms;
    for (std::size_t row = 0; row < terms.rows; ++row) {
      if (terms.is_shared()) value = values_.data() + site.first_entry;
      const SiteMessage& message = site.messages[row];
      const std::span<const std::uint32_t> variables = terms.of_row(row);
      for (std::size_t i = 0; i < terms.width; ++i) {
        SmallVector scaled{};  // R A at this variable
        for (std::size_t e = 0; e < terms.edges; ++e) {
          const double weight = terms.weights_of(row, e)[i];
          information_[variables[i]] += weight * message.tau[e];
          for (std::size_t f = 0; f < terms.edges; ++f)
            scaled[f] += weight * message.precision(e, f);
        }
        for (std::size_t j = 0; j <= i; ++j) {
          double sum = 0;
          for (std::size_t f = 0; f < terms.edges; ++f)
            sum += scaled[f] * terms.weights_of(row, f)[j];
          *value++ += copies_of(variables, i, j) * sum;
        }
      }
    }
  }
  if (!precision_->factorise(values_)) return false;
  mean_ = information_;
  precision_->solve(mean_);
  return std::ranges::all_of(mean_, [](double x) { return std::isfinite(x); });
}

std::vector<double> JointModel::covariances_with(std::uint32_t variable) const {
  std::vector<double> out(size_, 0.0);
  out[variable] = 1;
  precision_->solve(out);
  return out;
}

void JointModel::draw(std::span<double> x) const {
  precision_->colour(x);
  for (std::size_t i = 0; i < size_; ++i) x[i] += mean_[i];
}

double JointModel::log_belief(std::span<const double> x) const {
  double distance = 0;
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    const Entry& entry = entries_[k];
    const double product =
        values_[k] * (x[entry.row] - mean_[entry.row]) * (x[entry.column] - mean_[entry.column]);
    distance += entry.row == entry.column ? product : 2 * product;
  }
  return 0.5 * (precision_->log_determinant() - distance - static_cast<double>(size_) * kLogTwoPi);
}

double JointModel::log_gaussians(std::span<const double> x,
                                 std::span<const std::size_t> without_blocks) const {
  double out = 0;
  for (const GaussianTerms& gaussian : gaussians_)
    for (std::size_t row = 0; row < gaussian.terms.rows; ++row) {
      const double gap = gaussian.targets[row] -
                         combined(gaussian.terms.weights_of(row), gaussian.terms.of_row(row), x);
      const double precision = gaussian.precisions[row];
      out += 0.5 * (std::log(precision) - kLogTwoPi - precision * gap * gap);
    }
  std::vector<double> gap;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const BlockTerms& block = blocks_[b];
    if (std::ranges::find(without_blocks, b) != without_blocks.end()) continue;
    for (std::size_t row = 0; row < block.rows; ++row) {
      const std::span<const double> precision = block.precision_of(row), mean = block.mean_of(row);
      gap.resize(block.width);
      for (std::size_t i = 0; i < block.width; ++i)
        gap[i] = x[block.variables[row * block.width + i]] - mean[i];
      double distance = 0;
      for (std::size_t i = 0; i < block.width; ++i)
        for (std::size_t j = 0; j < block.width; ++j)
          distance += gap[i] * precision[i * block.width + j] * gap[j];
      out += block.log_scale_of(row) - 0.5 * distance;
    }
  }
  return out;
}

void JointModel::log_model(std::span<const double> points, std::span<double> out,
                           std::span<const std::size_t> without_blocks) const {
  const auto point = [&](std::size_t k) { return points.subspan(k * size_, size_); };
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = log_gaussians(point(k), without_blocks);
  std::vector<std::uint32_t> rows;
  std::vector<double> z, log_f;
  for (const Site& site : sites_) {
    const LinearTerms& terms = site.terms;
    if (terms.rows == 0) continue;
    const std::size_t at_once = std::max<std::size_t>(1, kRowsAtOnce / terms.rows);
    for (std::size_t first = 0; first < out.size(); first += at_once) {
      const std::size_t count = std::min(at_once, out.size() - first);
      rows.clear(), z.clear();
      for (std::size_t k = first; k < first + count; ++k)
        for (std::size_t row = 0; row < terms.rows; ++row) {
          rows.push_back(static_cast<std::uint32_t>(row));
          for (std::size_t e = 0; e < terms.edges; ++e)
            z.push_back(combined(terms.weights_of(row, e), terms.of_row(row), point(k)));
        }
      log_f.resize(rows.size());
      site.rule->log_density(rows, z, log_f);
      for (std::size_t i = 0; i < rows.size(); ++i) out[first + i / terms.rows] += log_f[i];
    }
  }
}

// log of the integral of all Gaussian factors and messages, by Laplace's formula at the mean, which is exact for them and in which nothing
// of the size of the data cancels; and for each site log s_i, its message's scale, with which cavity times message has the mass of
// cavity times factor.
double JointModel::evidence(Report& record) const {
  double out = log_gaussians(mean_) +
               0.5 * (static_cast<double>(size_) * kLogTwoPi - precision_->log_determinant());
  for (const Site& site : sites_)
    for (std::size_t row = 0; row < site.terms.rows; ++row) {
      if (!site.tilted[row].is_found) continue;
      const SiteMessage& message = site.messages[row];
      const std::size_t edges = site.terms.edges;
      SmallVector z{};
      for (std::size_t e = 0; e < edges; ++e)
        z[e] = combined(site.terms.weights_of(row, e), site.terms.of_row(row), mean_);
      const double of_site =
          site.tilted[row].log_mass - log_overlap(site.cavities[row], message, edges) +
          dot(message.tau, z, edges) - 0.5 * dot(times(message.precision, z, edges), z, edges);
      // A message at the ends of double has no scale: it is left out, and said.
      if (std::isfinite(of_site)) {
        out += of_site;
      } else {
        ++record.kept;
        record.converged = false;
      }
    }
  return out;
}

}  // namespace postrider::internal

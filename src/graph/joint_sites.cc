// Expectation propagation: the messages of all sites from one belief, together, until they stay.
#include <algorithm>
#include <cmath>
#include <utility>

#include "graph/joint.h"

namespace postrider::internal {
namespace {

// Sweeps go all of the way until changes grow; then by this factor less, and as long as they fall, a little more again.
constexpr double kLess = 0.5, kMore = 1.2, kGrowth = 1.05;
constexpr double kLeastShare = 0.02;
constexpr std::size_t kSweepsBeforeDamping = 2;

SiteMessage mixed(const SiteMessage& from, const SiteMessage& to, double share) {
  SiteMessage out = from;
  for (std::size_t e = 0; e < kSmall; ++e) out.tau[e] += share * (to.tau[e] - from.tau[e]);
  for (std::size_t k = 0; k < from.precision.entries.size(); ++k)
    out.precision.entries[k] += share * (to.precision.entries[k] - from.precision.entries[k]);
  return out;
}

// The belief of z without the message; not found if what remains is no density.
bool cavity_of(const SiteMoments& belief, const SiteMessage& message, std::size_t edges,
               SiteMoments& cavity) {
  const SmallCholesky root = cholesky(belief.covariance, edges);
  if (!root.is_positive_definite) return false;
  SmallMatrix precision = inverse(root, edges);
  SmallVector information = times(precision, belief.mean, edges);
  for (std::size_t e = 0; e < edges; ++e) information[e] -= message.tau[e];
  for (std::size_t k = 0; k < precision.entries.size(); ++k)
    precision.entries[k] -= message.precision.entries[k];
  const SmallCholesky left = cholesky(precision, edges);
  if (!left.is_positive_definite) return false;
  cavity.covariance = inverse(left, edges);
  cavity.mean = times(cavity.covariance, information, edges);
  return true;
}

// In shares of the belief's precision and in its deviations.
double change_of(const SiteMoments& belief, const SiteMessage& from, const SiteMessage& to,
                 std::size_t edges) {
  double out = 0;
  for (std::size_t e = 0; e < edges; ++e) {
    const double variance = belief.covariance(e, e);
    double gap = to.tau[e] - from.tau[e];
    for (std::size_t f = 0; f < edges; ++f) {
      const double precision = to.precision(e, f) - from.precision(e, f);
      gap -= precision * belief.mean[f];
      out = std::max(out, std::abs(precision) * std::sqrt(variance * belief.covariance(f, f)));
    }
    out = std::max(out, std::abs(gap) * std::sqrt(variance));
  }
  return out;
}

}  // namespace

SiteMoments JointModel::moments_of(const Site& site, std::size_t row) const {
  const LinearTerms& terms = site.terms;
  const std::span<const std::uint32_t> variables = terms.of_row(row);
  const std::size_t half = terms.width * (terms.width + 1) / 2;
  const double* covariance = covariances_.entries.data() + (site.first_entry - fixed_entries_) +
                             (terms.is_shared() ? 0 : row * half);
  SiteMoments out;
  for (std::size_t i = 0; i < terms.width; ++i) {
    for (std::size_t e = 0; e < terms.edges; ++e)
      out.mean[e] += terms.weights_of(row, e)[i] * mean_[variables[i]];
    for (std::size_t j = 0; j <= i; ++j, ++covariance)
      for (std::size_t e = 0; e < terms.edges; ++e)
        for (std::size_t f = 0; f < terms.edges; ++f) {
          const std::span<const double> a = terms.weights_of(row, e), b = terms.weights_of(row, f);
          const double pairs = i == j ? a[i] * b[i] : a[i] * b[j] + a[j] * b[i];
          out.covariance(e, f) += *covariance * pairs;
        }
  }
  return out;
}

void JointModel::tilt(Site& site) const {
  if (!site.rule) return;  // removed
  const std::size_t edges = site.terms.edges;
  std::vector<std::uint32_t> rows;
  std::vector<SiteMoments> cavities;
  std::vector<Tilted> tilted;
  for (std::size_t row = 0; row < site.terms.rows; ++row) {
    SiteMoments cavity;
    site.beliefs[row] = moments_of(site, row);
    if (!cavity_of(site.beliefs[row], site.messages[row], edges, cavity)) {
      site.tilted[row].is_found = false;
      continue;
    }
    site.cavities[row] = cavity;
    rows.push_back(static_cast<std::uint32_t>(row));
    cavities.push_back(cavity);
    tilted.push_back(site.tilted[row]);
  }
  site.rule->tilt(rows, cavities, tilted);
  for (std::size_t k = 0; k < rows.size(); ++k) site.tilted[rows[k]] = tilted[k];
}

// The messages that follow from the tilted beliefs; returns the largest change.
double JointModel::propose(const Site& site, std::vector<SiteMessage>& proposals,
                           Report& record) const {
  proposals = site.messages;
  double largest = 0;
  const std::size_t edges = site.terms.edges;
  for (std::size_t row = 0; row < site.terms.rows; ++row) {
    const Tilted& tilted = site.tilted[row];
    Projection found;
    if (tilted.is_found)
      found = project(site.cavities[row], tilted.moments, site.rule->least_precision(), edges);
    if (!found.is_proper) {
      ++record.kept;
      continue;
    }
    record.held += found.is_held ? 1 : 0;
    proposals[row] = found.message;
    largest =
        std::max(largest, change_of(site.beliefs[row], site.messages[row], proposals[row], edges));
  }
  return largest;
}

// Goes by `share` towards the proposals, and by less where the belief would not be proper. False if it is not proper anywhere near.
bool JointModel::step_towards(const std::vector<std::vector<SiteMessage>>& proposals, double& share,
                              Report& record) {
  std::vector<std::vector<SiteMessage>> former;
  for (const Site& site : sites_) former.push_back(site.messages);
  for (double part = share; part >= kLeastShare * kLeastShare; part *= kLess) {
    for (std::size_t s = 0; s < sites_.size(); ++s)
      for (std::size_t row = 0; row < former[s].size(); ++row)
        sites_[s].messages[row] = mixed(former[s][row], proposals[s][row], part);
    if (update_belief()) {
      record.damped += part < 1 ? 1 : 0;
      share = part;
      return true;
    }
  }
  for (std::size_t s = 0; s < sites_.size(); ++s) sites_[s].messages = former[s];
  is_proper_ = update_belief();
  return false;
}

JointModel::Report JointModel::infer(const Options& options) {
  Report record;
  if (!precision_) analyse();
  const bool has_sites =
      std::ranges::any_of(sites_, [](const Site& site) { return site.terms.rows > 0; });
  set_fixed_values();
  const auto of_sites = std::span<const SparsePrecision::Entry>(entries_).subspan(fixed_entries_);
  is_proper_ = update_belief();
  if (!is_proper_ && has_sites) {
    forget_messages();
    is_proper_ = update_belief();
  }
  if (!is_proper_) return record;
  covariances_ = precision_->covariances(of_sites);
  record.converged = !has_sites;
  std::vector<std::vector<SiteMessage>> proposals(sites_.size());
  double share = 1;
  bool goes_on = has_sites;
  while (goes_on) {
    record.held = record.kept = 0;
    double change = 0;
    for (std::size_t s = 0; s < sites_.size(); ++s) {
      tilt(sites_[s]);
      change = std::max(change, propose(sites_[s], proposals[s], record));
    }
    ++record.sweeps;
    const bool grows = !record.change.empty() && change > kGrowth * record.change.back();
    if (record.sweeps > kSweepsBeforeDamping)
      share = grows ? std::max(kLeastShare, kLess * share) : std::min(1.0, kMore * share);
    record.change.push_back(change);
    const bool settled = change <= options.tolerance;
    // A site without a message is none that has settled.
    record.converged = settled && record.kept == 0;
    if (settled || !step_towards(proposals, share, record)) break;
    covariances_ = precision_->covariances(of_sites);
    goes_on = record.sweeps < options.limit && (!options.progress || options.progress(record));
  }
  if (!is_proper_) return record;
  // Scales are those of the messages that stay.
  if (!record.converged)
    for (Site& site : sites_) tilt(site);
  log_evidence_ = evidence(record);
  return record;
}

}  // namespace postrider::internal

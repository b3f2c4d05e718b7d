#include "factor/site_factor.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "factor/scalar.h"

namespace postrider::internal {
namespace {

// The standard deviation of a known value, in units of the value where it is large.
constexpr double kKnown = 1e-8;
// The least precision that is sent, in shares of the incoming one; it is an event where the tilted belief asks for less than none.
constexpr double kLeast = 1e-8;
constexpr double kRounding = 1e-9;

Reply silent(Event event, double log_scale) { return {Gaussian::uniform(), log_scale, event}; }

bool has_moments(const SiteMoments& cavity, std::size_t edges) {
  for (std::size_t e = 0; e < edges; ++e)
    if (!(cavity.covariance(e, e) >= std::numeric_limits<double>::min() &&
          cavity.covariance(e, e) <= std::numeric_limits<double>::max() / 1e4 &&
          std::isfinite(cavity.mean[e])))
      return false;
  return true;
}

// A known value is a belief so narrow that nothing within it differs.
SiteMoments narrow_where_known(std::span<const Gaussian> incoming) {
  SiteMoments out;
  for (std::size_t e = 0; e < incoming.size(); ++e) {
    out.mean[e] = incoming[e].mean();
    const double deviation = kKnown * std::max(1.0, std::abs(out.mean[e]));
    out.covariance(e, e) =
        incoming[e].is_point_mass() ? deviation * deviation : incoming[e].variance();
  }
  return out;
}

// To the edge at this place of the cavity.
Reply reply_of(const Tilted& tilted, const SiteMoments& cavity, std::size_t place) {
  if (!tilted.is_found)
    return silent(Event::contradicted, -std::numeric_limits<double>::infinity());
  const Gaussian front =
      Gaussian::from_moments(cavity.mean[place], cavity.covariance(place, place));
  return tilted_reply(front, tilted.moments.mean[place], tilted.moments.covariance(place, place),
                      tilted.log_mass);
}

void put(const Reply& reply, std::size_t row, const Replies& to) {
  to.messages[row] = reply.message;
  if (!to.events.empty()) to.events[row] = reply.event;
  if (!to.log_scales.empty())
    to.log_scales[row] = reply.log_scale.value_or(std::numeric_limits<double>::quiet_NaN());
}

}  // namespace

Reply tilted_reply(const Gaussian& front, double mean, double variance, double log_mass) {
  SiteMoments before, after;
  before.mean[0] = front.mean(), before.covariance(0, 0) = front.variance();
  after.mean[0] = mean, after.covariance(0, 0) = variance;
  const Projection found = project(before, after, kLeast, 1);
  const double tau = found.message.tau[0], rho = found.message.precision(0, 0);
  if (!found.is_proper || !std::isfinite(tau) || !std::isfinite(rho))
    return silent(Event::overflowed, 0);
  if (rho < std::numeric_limits<double>::min()) return silent(Event::vanished, log_mass);
  Reply out{Gaussian::from_natural(tau, rho)};
  out.log_scale = log_mass - log_overlap(front, out.message);
  if (variance > front.variance() * (1 + kRounding)) out.event = Event::held;
  return out;
}

void send_tilted(const SiteRule& site, std::span<const std::uint32_t> site_rows, std::size_t target,
                 std::span<const Gaussian> incoming, const Replies& replies) {
  const std::size_t edges = site.edges();
  std::vector<std::size_t> asked;
  std::vector<std::uint32_t> rows;
  std::vector<SiteMoments> cavities;
  for (std::size_t row = 0; row < replies.messages.size(); ++row) {
    const auto of_row = incoming.subspan(row * edges, edges);
    const bool is_open = std::ranges::any_of(of_row, &Gaussian::is_uniform);
    const SiteMoments cavity = is_open ? SiteMoments{} : narrow_where_known(of_row);
    if (is_open || !has_moments(cavity, edges)) {
      put(silent(is_open ? Event::vanished : Event::overflowed, 0), row, replies);
      continue;
    }
    asked.push_back(row);
    rows.push_back(site_rows[row]);
    cavities.push_back(cavity);
  }
  std::vector<Tilted> tilted(asked.size());
  site.tilt(rows, cavities, tilted);
  for (std::size_t k = 0; k < asked.size(); ++k) {
    const bool is_known = incoming[asked[k] * edges + target].is_point_mass();
    put(is_known && tilted[k].is_found ? silent(Event::none, tilted[k].log_mass)
                                       : reply_of(tilted[k], cavities[k], target),
        asked[k], replies);
  }
}

EdgeInfo tilted_edge(std::string name) {
  return {std::move(name), {{Rule::conditioned, Claim::tilted_moments, true}}, true};
}

SiteFactor::SiteFactor(FactorInfo info, std::shared_ptr<const SiteRule> rule)
    : info_(std::move(info)), rule_(std::move(rule)) {}

double SiteFactor::evaluate(std::span<const double> values) const {
  const std::uint32_t row = 0;
  double out = 0;
  rule_->log_density({&row, 1}, values, {&out, 1});
  return out;
}

Reply SiteFactor::send(std::size_t edge, Rule rule, std::span<const Gaussian> incoming) const {
  expect_one_per_edge(info_, incoming);
  return sent_singly(*this, edge, rule, incoming);
}

void SiteFactor::send_many(std::size_t edge, Rule rule, std::span<const Gaussian> incoming,
                           const Replies& replies) const {
  info_.find(edge, rule);
  expect_rows(info_, incoming, replies);
  send_tilted(*rule_, std::vector<std::uint32_t>(replies.messages.size()), edge, incoming, replies);
}

Reply sent_singly(const Factor& factor, std::size_t edge, Rule rule,
                  std::span<const Gaussian> incoming) {
  Reply out;
  double log_scale = 0;
  factor.send_many(edge, rule, incoming, {{&out.message, 1}, {&out.event, 1}, {&log_scale, 1}});
  out.log_scale = log_scale;
  return out;
}

}  // namespace postrider::internal

// Sites (site.h) as factors of a graph of scalar messages. Each edge hears what the tilted belief, all incoming messages times the factor,
// says of it alone: with the incoming message N(m, 1/r) of the edge, and M and V the tilted mean and variance in its direction,
//
//   rho = 1/V - r, or the least that is sent,   tau = M (r + rho) - m r.
//
// So a message is proper, and times the incoming one it has the mean M, also where the least was sent: `held`, counted.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "factor/site.h"
#include "factor/words.h"

namespace postrider::internal {

// The rule, for the front message N(m, 1/r). `log_mass` is that of front message times factor.
Reply tilted_reply(const Gaussian& front, double mean, double variance, double log_mass);

// The replies of rows to the edge at `target`: `incoming` holds, row by row, one message for each edge of the site, whose row `site_rows`
// tells. A known value counts as a belief so narrow that nothing within it differs; to itself only the scale of its factor is sent.
void send_tilted(const SiteRule& site, std::span<const std::uint32_t> site_rows, std::size_t target,
                 std::span<const Gaussian> incoming, const Replies& replies);

// A site of one row.
class SiteFactor final : public Factor {
 public:
  SiteFactor(FactorInfo info, std::shared_ptr<const SiteRule> rule);

  const FactorInfo& info() const override { return info_; }
  double evaluate(std::span<const double> values) const override;
  Reply send(std::size_t edge, Rule rule, std::span<const Gaussian> incoming) const override;
  void send_many(std::size_t edge, Rule rule, std::span<const Gaussian> incoming,
                 const Replies& replies) const override;
  bool may_run_on_threads() const override { return true; }

 private:
  FactorInfo info_;
  std::shared_ptr<const SiteRule> rule_;
};

// send() of a factor that has send_many() and a log scale for each message.
Reply sent_singly(const Factor& factor, std::size_t edge, Rule rule,
                  std::span<const Gaussian> incoming);

// An edge of such a factor: conditioned messages with tilted moments and a log scale.
EdgeInfo tilted_edge(std::string name);

}  // namespace postrider::internal

// Density:    f(x_1, ..., x_k), k = 1, 2 or 3, by a function of the user's for log f
// Messages:   to each edge: the tilted belief's mean and variance, by quadrature (density_site.h), as messages by the projection rule of
//             site_factor.h. Edges that are known are put into f, so that the quadrature is over the others alone.
// Domain:     messages that are not uniform; log f finite or -infinity where they have mass.
// Limits:     [limit: gaussian] f a Gaussian of its edges: messages are exact, but for the quadrature, 1e-6.
//             [limit: known_edge] an edge known: the factor of the others alone.
//             [limit: flat] f constant: no edge hears anything that its belief shows.
// Reference:  beyond the paper; its construction recipe, with quadrature for the moments.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "factor/density_site.h"
#include "factor/scalar.h"
#include "factor/site_factor.h"
#include "factor/words.h"
#include "postrider/error.h"

namespace postrider::graph {
using namespace internal;
namespace {

// Which edges the quadrature is over, as bits: those that are not known, and the one that is sent to.
using Open = unsigned;

class Density final : public Factor {
 public:
  Density(FactorInfo info, LogDensityAtPoints log_density)
      : info_(std::move(info)), log_density_(std::move(log_density)) {}

  const FactorInfo& info() const override { return info_; }

  double evaluate(std::span<const double> values) const override {
    double out = 0;
    log_density_(values, {&out, 1});
    return out;
  }

  Reply send(std::size_t edge, Rule rule, std::span<const Gaussian> incoming) const override {
    expect_one_per_edge(info_, incoming);
    return sent_singly(*this, edge, rule, incoming);
  }

  void send_many(std::size_t edge, Rule rule, std::span<const Gaussian> incoming,
                 const Replies& replies) const override {
    info_.find(edge, rule);
    expect_rows(info_, incoming, replies);
    for (Open open = 1; open < (1U << info_.edges.size()); ++open)
      if ((open >> edge & 1U) != 0) send_open(open, edge, incoming, replies);
  }

  // The function may be of another language, where each call is dear.
  std::size_t messages_per_call() const override { return 1 << 16; }

 private:
  Open open_of(std::span<const Gaussian> incoming, std::size_t edge) const {
    Open out = 0;
    for (std::size_t e = 0; e < incoming.size(); ++e)
      if (e == edge || !incoming[e].is_point_mass()) out |= 1U << e;
    return out;
  }

  // All rows of which just these edges are open.
  void send_open(Open open, std::size_t edge, std::span<const Gaussian> incoming,
                 const Replies& replies) const {
    const std::size_t edges = info_.edges.size();
    std::vector<std::size_t> asked;
    for (std::size_t row = 0; row < replies.messages.size(); ++row)
      if (open_of(incoming.subspan(row * edges, edges), edge) == open) asked.push_back(row);
    if (asked.empty()) return;
    const Divided rows = divided(open, asked, incoming);
    std::vector<Gaussian> messages(asked.size());
    std::vector<Event> events(asked.size());
    std::vector<double> log_scales(asked.size());
    const auto place =
        static_cast<std::size_t>(std::ranges::find(rows.places, edge) - rows.places.begin());
    send_tilted(*site_of(rows), rows.numbers, place, rows.free, {messages, events, log_scales});
    for (std::size_t k = 0; k < asked.size(); ++k) {
      replies.messages[asked[k]] = messages[k];
      if (!replies.events.empty()) replies.events[asked[k]] = events[k];
      if (!replies.log_scales.empty()) replies.log_scales[asked[k]] = log_scales[k];
    }
  }

  // Rows of which the same edges are open, numbered from 0.
  struct Divided {
    std::vector<std::size_t> places;     // of the open edges
    std::vector<std::uint32_t> numbers;  // of the rows
    std::vector<Gaussian> free;          // of each row, what comes in at its open edges
    std::vector<double> values;          // of each row, what is known; and room for the others
  };

  Divided divided(Open open, std::span<const std::size_t> asked,
                  std::span<const Gaussian> incoming) const {
    const std::size_t edges = info_.edges.size();
    Divided out;
    for (std::size_t e = 0; e < edges; ++e)
      if ((open >> e & 1U) != 0) out.places.push_back(e);
    for (const std::size_t row : asked) {
      out.numbers.push_back(static_cast<std::uint32_t>(out.numbers.size()));
      for (const std::size_t e : out.places) out.free.push_back(incoming[row * edges + e]);
      for (std::size_t e = 0; e < edges; ++e) {
        const Gaussian& in = incoming[row * edges + e];
        out.values.push_back(in.is_point_mass() ? in.mean() : 0);
      }
    }
    return out;
  }

  // The density of the open edges, which reads the rows: they must outlive it.
  std::unique_ptr<SiteRule> site_of(const Divided& rows) const {
    return density_site(
        [this, &rows](std::span<const std::uint32_t> of, std::size_t nodes,
                      std::span<const double> z, std::span<double> out) {
          const std::size_t edges = info_.edges.size(), open = rows.places.size();
          std::vector<double> points;
          points.reserve(out.size() * edges);
          for (std::size_t k = 0; k < out.size(); ++k) {
            const auto known = std::span(rows.values).subspan(of[k / nodes] * edges, edges);
            points.insert(points.end(), known.begin(), known.end());
            for (std::size_t p = 0; p < open; ++p)
              points[k * edges + rows.places[p]] = z[k * open + p];
          }
          log_density_(points, out);
        },
        rows.places.size(), 0, Nodes::fine);
  }

  FactorInfo info_;
  LogDensityAtPoints log_density_;
};

}  // namespace

std::unique_ptr<Factor> make_density(std::string name, std::vector<std::string> edges,
                                     LogDensityAtPoints log_density) {
  if (!log_density)
    throw InvalidArgument("density.log_density: empty; must be a function of points");
  if (edges.empty() || edges.size() > kSmall)
    reject("density.edges", edges.size(), "must be one, two or three");
  if (std::set(edges.begin(), edges.end()).size() != edges.size())
    reject("density.edges", fmt::format("{}", fmt::join(edges, ", ")), "must be distinct");
  FactorInfo info{
      name, fmt::format("{}({})", name, fmt::join(edges, ", ")), FactorKind::density, {}};
  for (std::string& edge : edges) info.edges.push_back(tilted_edge(std::move(edge)));
  return std::make_unique<Density>(std::move(info), std::move(log_density));
}

}  // namespace postrider::graph

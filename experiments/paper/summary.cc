#include <fmt/format.h>

#include "studies.h"
#include "verdict.h"

namespace postrider::experiments {
using namespace internal;
namespace {

double Outcome::*member_of(const std::string& quantity) {
  for (const auto& [name, value] : all_quantities())
    if (name == quantity) return value;
  return nullptr;
}

}  // namespace

Object summarise(const Study& study, const std::vector<Cell>& cells, const Settings& settings,
                 Part& part) {
  Object out;
  for (const Published& published : study.published) {
    Object entry{{"paper", {published.value}},
                 {"paper_seeds", {static_cast<std::int64_t>(published.seeds)}},
                 {"seeds", {static_cast<std::int64_t>(study.many)}}};
    std::vector<Found> direct;
    for (const graph::Rule rule : {graph::Rule::direct, graph::Rule::conditioned}) {
      Object readings;
      for (const bool same_means : study.readings) {
        const Found found =
            find_median(values_of(find(cells, same_means, rule, TrainerOptions::Stopping::paper),
                                  member_of(published.quantity), study.many),
                        published, settings);
        readings.push_back({same_means ? "same" : "fresh", {describe(found)}});
        if (rule == graph::Rule::direct) direct.push_back(found);
      }
      entry.push_back({rule == graph::Rule::direct ? "direct" : "conditioned", {readings}});
    }
    const std::string found = verdict(published, direct);
    entry.push_back({"verdict", {found}});
    const std::string text =
        fmt::format("{} {}: paper {:g}, direct {:.3f}: {}", study.name, published.quantity,
                    published.value, direct.back().median, found);
    if (!settings.quick && published.quantity.ends_with("_nll"))
      part.claims.push_back({text, is_reproduced(found)});
    else
      part.notes.push_back(text);
    out.push_back({published.quantity, {entry}});
  }
  return out;
}

}  // namespace postrider::experiments

#include "estimator/outlooks.h"

#include <algorithm>
#include <cmath>

namespace postrider {

std::vector<Outlook> outlooks_of(const FittedModel& model, std::span<const OutputRows> of_members) {
  const std::size_t targets = model.targets.columns(), outputs = model.shape().outputs();
  const std::size_t members = of_members.size();
  const std::size_t rows = of_members.front().mean.size() / outputs;
  const bool varies = model.kind == ModelKind::varying_noise;
  std::vector<Outlook> out(rows * targets * members);
  for (std::size_t m = 0; m < members; ++m) {
    const std::vector<double>& noise = model.members[m].noise_variance;
    const OutputRows& found = of_members[m];
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t o = 0; o < targets; ++o) {
        const std::size_t at = row * outputs + o;
        Outlook& outlook = out[(row * targets + o) * members + m];
        outlook = varies ? outlook_of(found.mean[at], found.variance[at], found.mean[at + targets],
                                      found.variance[at + targets], noise[0])
                         : outlook_of(found.mean[at], found.variance[at], noise[o]);
        outlook.share = model.members[m].share;
      }
  }
  return out;
}

std::vector<LeftOutScores> left_out_scores(const FittedModel& model,
                                           std::span<const OutputRows> of_members,
                                           std::span<const double> targets,
                                           std::span<const double> sample_weights) {
  const bool is_whole =
      std::ranges::none_of(of_members, [](const OutputRows& rows) { return rows.mean.empty(); });
  if (of_members.empty() || !is_whole) return {};
  const std::vector<Outlook> outlooks = outlooks_of(model, of_members);
  const std::size_t members = of_members.size(), columns = model.targets.columns();
  std::vector<LeftOutScores> out;
  for (std::size_t o = 0; o < columns; ++o) {
    std::vector<double> scores, weights;
    for (std::size_t place = o; place < targets.size(); place += columns) {
      if (std::isnan(targets[place])) continue;
      const std::span<const Outlook> at = std::span(outlooks).subspan(place * members, members);
      scores.push_back(score_of(Mixture(at).below(targets[place])));
      if (!sample_weights.empty()) weights.push_back(sample_weights[place / columns]);
    }
    out.emplace_back(std::move(scores), weights);
  }
  return out;
}

}  // namespace postrider

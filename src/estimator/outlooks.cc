#include "estimator/outlooks.h"

namespace postrider {

void scale_epistemic(std::span<Outlook> members, double factor) {
  if (factor == 1) return;
  double centre = 0;
  for (const Outlook& member : members) centre += member.share * member.mean;
  centre /= sum_of_shares(members);
  for (Outlook& member : members) {
    member.mean = centre + factor * (member.mean - centre);
    member.variance *= factor * factor;
  }
}

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
  for (std::size_t place = 0; place < rows * targets; ++place)
    scale_epistemic(std::span(out).subspan(place * members, members), model.epistemic_scale);
  return out;
}

}  // namespace postrider

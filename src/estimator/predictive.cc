#include "estimator/predictive.h"

#include "train/class_scores.h"

namespace postrider::internal {
void scale_epistemic(std::span<Outlook> members, double factor) {
  if (factor == 1) return;
  double centre = 0;
  for (const Outlook& member : members) centre += member.share * member.mean;
  centre /= sum_of_shares(members);
  for (Outlook& member : members) {
    member.mean = centre + factor * (member.mean - centre);
    member.variance = factor * factor * (member.variance - member.from_inputs) + member.from_inputs;
  }
}

namespace {

// Outputs of a member at each row; the noise there, of which there is one of each kind for all rows or for each row;
// and its share in the first row's prediction, that in the next row's lies so many numbers on.
struct MemberOutputs {
  const network::Network::OutputMoments& found;
  std::span<const double> noise;
  const double* share;
  std::size_t share_step;
  // The parts of its variance; none: all inputs are known.
  std::span<const double> due_to_beliefs = {}, due_to_inputs = {};
};

std::vector<Outlook> outlooks_from(const FittedModel& model,
                                   std::span<const MemberOutputs> of_members) {
  const std::size_t targets = model.targets.columns(), outputs = model.shape().outputs();
  const std::size_t members = of_members.size(),
                    noises = model.members.front().noise_variance.size();
  const std::size_t rows = of_members.front().found.mean.size() / outputs;
  const bool varies = model.kind == ModelKind::varying_noise;
  std::vector<Outlook> out(rows * targets * members);
  for (std::size_t m = 0; m < members; ++m) {
    const network::Network::OutputMoments& found = of_members[m].found;
    for (std::size_t row = 0; row < rows; ++row) {
      const std::span<const double> noise = of_members[m].noise.size() == noises
                                                ? of_members[m].noise
                                                : of_members[m].noise.subspan(row * noises, noises);
      for (std::size_t o = 0; o < targets; ++o) {
        const std::size_t at = row * outputs + o;
        Outlook& outlook = out[(row * targets + o) * members + m];
        outlook = varies ? outlook_of(found.mean[at], found.variance[at], found.mean[at + targets],
                                      found.variance[at + targets], noise[0])
                         : outlook_of(found.mean[at], found.variance[at], noise[o]);
        outlook.share = of_members[m].share[row * of_members[m].share_step];
        if (of_members[m].due_to_inputs.empty()) continue;
        outlook.from_inputs = of_members[m].due_to_inputs[at];
        outlook.variance = of_members[m].due_to_beliefs[at] + outlook.from_inputs;
      }
    }
  }
  for (std::size_t place = 0; place < rows * targets; ++place)
    scale_epistemic(std::span(out).subspan(place * members, members), model.epistemic_scale);
  return out;
}

}  // namespace

std::vector<Outlook> outlooks_of(const FittedModel& model,
                                 std::span<const network::Network::OutputMoments> of_members,
                                 const InputUncertainty& unknown) {
  std::vector<MemberOutputs> outputs;
  for (std::size_t m = 0; m < of_members.size(); ++m) {
    outputs.push_back({of_members[m], model.members[m].noise_variance, &model.members[m].share, 0});
    if (unknown.empty()) continue;
    outputs.back().due_to_beliefs = unknown.due_to_beliefs[m];
    outputs.back().due_to_inputs = unknown.due_to_inputs[m];
  }
  return outlooks_from(model, outputs);
}

std::vector<Outlook> streamed_outlooks(const FittedModel& model,
                                       std::span<const StreamOutcome> of_members,
                                       std::span<const double> shares) {
  std::vector<MemberOutputs> outputs;
  for (std::size_t m = 0; m < of_members.size(); ++m)
    outputs.push_back({of_members[m].scores.predicted, of_members[m].scores.noise, &shares[m],
                       of_members.size()});
  return outlooks_from(model, outputs);
}

std::vector<double> member_probabilities(const FittedModel& model, std::size_t member,
                                         const network::Network::OutputMoments& outputs,
                                         Workers& workers) {
  return class_probabilities(outputs, model.shape().outputs(),
                             model.members[member].noise_variance.front(), workers,
                             model.temperature);
}

std::vector<double> predicted_probabilities(const FittedModel& model,
                                            const EnsemblePrediction& ensemble,
                                            const SparseInputs& encoded, Workers& workers) {
  const std::size_t outputs = model.shape().outputs();
  std::vector<double> out(encoded.rows() * network::classes_of(outputs));
  double all = 0;
  for (const Member& member : model.members) all += member.share;
  const std::vector<network::Network::OutputMoments> of_members =
      ensemble.predict(encoded, workers);
  for (std::size_t m = 0; m < model.members.size(); ++m) {
    const std::vector<double> own = member_probabilities(model, m, of_members[m], workers);
    const double share = model.members[m].share / all;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += share * own[i];
  }
  return out;
}

}  // namespace postrider::internal

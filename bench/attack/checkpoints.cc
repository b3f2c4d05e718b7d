#include <cmath>

#include "bench/attack/content.h"
#include "bench/attack/mutations.h"
#include "files.h"
#include "postrider/error.h"
#include "postrider/network/trainer.h"

namespace postrider::attack {
using namespace internal;
namespace {

// A plane with noise, and its negative half.
struct Problem {
  std::vector<double> x, y;

  Problem() {
    RandomStream random(1, 0);
    for (int row = 0; row < 30; ++row) {
      const double a = random.normal(), b = random.normal();
      x.insert(x.end(), {a, b});
      for (const double factor : {1.0, -0.5})
        y.push_back(factor * (a + 0.5 * b) + 0.3 * random.normal());
    }
  }
};

struct Trained {
  std::vector<Gaussian> beliefs;
  std::vector<double> noise;

  bool operator==(const Trained&) const = default;
  bool is_finite() const {
    for (const Gaussian& belief : beliefs)
      if (!std::isfinite(belief.tau()) || !std::isfinite(belief.rho())) return false;
    for (const double variance : noise)
      if (!std::isfinite(variance)) return false;
    return true;
  }
};

Trained train(const Problem& problem, const TrainerOptions& options,
              const std::string& resume_from) {
  network::Network network(network::NetworkOptions::dense(2, {3}, 2));
  network::Trainer trainer(network, options);
  if (!resume_from.empty()) trainer.resume(resume_from);
  trainer.fit({problem.x}, problem.y);
  Trained out{{}, trainer.noise_variance()};
  for (std::size_t w = 0; w < network.weight_count(); ++w) out.beliefs.push_back(network.weight(w));
  return out;
}

}  // namespace

std::vector<Attack> attack_checkpoints(std::size_t tries) {
  const TemporaryFolder folder;
  const std::string path = folder.file("checkpoint");
  const Problem problem;
  TrainerOptions options{
      .max_epochs = 2, .stopping = TrainerOptions::Stopping::epochs, .group_size = 10};
  options.checkpoint = path;
  train(problem, options, "");
  options.checkpoint.clear();
  options.max_epochs = 3;
  const std::string whole = bytes_of(path);
  const Trained expected = train(problem, options, path);

  Attack out{"checkpoint mutation",
             "a checkpoint with bits, bytes or its end changed, or with values changed and "
             "checksums made to fit; training then goes on"};
  out.outcomes = isolated(tries, [&](std::size_t one) {
    RandomStream random(6, one);
    const bool is_sealed = one % 3 == 0;
    const std::string own = folder.file("mutated");
    write_bytes(own, is_sealed      ? with_changed_values(whole, random)
                     : one % 3 == 1 ? with_changed_bit(whole, 0, whole.size(), random)
                                    : damaged(whole, random));
    try {
      const Trained found = train(problem, options, own);
      if (!found.is_finite()) return Outcome::not_finite;
      if (found == expected) return Outcome::same;
      return is_sealed ? Outcome::other_model : Outcome::silently_different;
    } catch (const Error&) {
      return Outcome::refused;
    }
  });
  return {out};
}

}  // namespace postrider::attack

// In place of torch/ where libtorch is not installed: the parts that need it are left out, and
// nothing calls these.
#include <stdexcept>

#include "baselines/gradient.h"

namespace postrider::experiments {
namespace {

[[noreturn]] void refuse() { throw std::logic_error("built without libtorch"); }

}  // namespace

bool has_gradients() { return false; }

std::vector<Descended> train_by_adam(const GradientShape&, const std::vector<TrainingRows>&,
                                     const std::vector<AdamTrainee>&, const Course&) {
  refuse();
}
Descended train_by_library_adam(const GradientShape&, const TrainingRows&, const AdamTrainee&,
                                const Course&) {
  refuse();
}
std::vector<Varied> train_by_ivon(const GradientShape&, const std::vector<TrainingRows>&,
                                  const std::vector<IvonTrainee>&, std::size_t, const Normals&) {
  refuse();
}
std::vector<std::vector<double>> hessian_diagonals(const GradientShape&,
                                                   const std::vector<TrainingRows>&,
                                                   const std::vector<Trainee>&) {
  refuse();
}

}  // namespace postrider::experiments

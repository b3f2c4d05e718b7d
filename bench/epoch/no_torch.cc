// In place of torch_adam.cc where libtorch is not installed.
#include "bench/epoch/contender.h"

namespace postrider::bench {

std::unique_ptr<Contender> make_torch_adam(const Case&, const TrainingSet&) { return nullptr; }
double torch_matrix_rate() { return 0; }

}  // namespace postrider::bench

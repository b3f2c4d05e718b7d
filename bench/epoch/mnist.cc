#include "bench/common/mnist.h"

#include "bench/epoch/case.h"

namespace postrider::bench {

TrainingSet mnist_set(const Case& of, const std::string& data) {
  const Images images = read_mnist(data, MnistSet::training, of.rows);
  TrainingSet set{images.pixels, {}};
  for (const std::uint8_t label : images.labels)
    for (std::size_t k = 0; k < kMnistClasses; ++k) set.targets.push_back(label == k ? 1.0f : 0.0f);
  return set;
}

}  // namespace postrider::bench

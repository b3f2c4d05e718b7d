#include "bench/epoch/case.h"
#include "experiments/common/images.h"

namespace postrider::bench {

TrainingSet mnist_set(const Case& of, const std::string& data) {
  const experiments::Images images =
      experiments::read_images(data, "mnist", experiments::ImageSet::training, of.rows);
  TrainingSet set{images.pixels, {}};
  for (const std::uint8_t label : images.labels)
    for (std::size_t k = 0; k < experiments::kClasses; ++k)
      set.targets.push_back(label == k ? 1.0f : 0.0f);
  return set;
}

}  // namespace postrider::bench

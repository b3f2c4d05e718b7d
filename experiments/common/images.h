// Reads the original files of MNIST and of Fashion-MNIST, which has the same form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace postrider::experiments {

inline constexpr std::size_t kPixels = 784, kClasses = 10;

// Image by image: pixels from 0 to 1, and the class.
struct Images {
  std::vector<float> pixels;
  std::vector<std::uint8_t> labels;
};

enum class ImageSet { training, test };
inline constexpr std::size_t kTrainingImages = 60'000, kTestImages = 10'000;

// The first `count` images, from the files in <data>/<folder>: mnist or fashion-mnist.
Images read_images(const std::string& data, const std::string& folder, ImageSet set,
                   std::size_t count);

}  // namespace postrider::experiments

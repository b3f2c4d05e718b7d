// Reads the original files of MNIST.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace postrider::bench {

inline constexpr std::size_t kMnistPixels = 784, kMnistClasses = 10;

// Image by image: pixels from 0 to 1, and the digit.
struct Images {
  std::vector<float> pixels;
  std::vector<std::uint8_t> labels;
};

enum class MnistSet { training, test };

// The first `count` images, from the files in <data>/mnist.
Images read_mnist(const std::string& data, MnistSet set, std::size_t count);

}  // namespace postrider::bench

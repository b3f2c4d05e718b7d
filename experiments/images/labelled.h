// Images with their classes, as a network sees them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/images.h"
#include "common/program.h"

namespace postrider::experiments {

struct Labelled {
  std::vector<double> pixels;
  std::vector<double> targets;      // class numbers
  std::vector<std::size_t> labels;  // the same
};

// Pixels from 0 to 1. All images, or few with --quick.
Labelled read_labelled(const Settings& settings, const std::string& folder, ImageSet set);

// Training images that are kept back to set the temperature, or the others.
Labelled part_of(const Labelled& images, bool kept_back);

// Each pixel's mean and deviation over the images, or a multiple of the pixels as they are.
class PixelScales {
 public:
  explicit PixelScales(double factor);
  explicit PixelScales(const Labelled& images);
  Labelled scaled(Labelled images) const;

 private:
  std::vector<double> mean_, deviation_;
};

}  // namespace postrider::experiments

#include "labelled.h"

#include <cmath>

namespace postrider::experiments {
namespace {

constexpr std::size_t kQuickImages = 1000;
// One training image in so many is kept back.
constexpr std::size_t kKeptBack = 20;
// In units of a pixel's range. A pixel that hardly varies is not magnified without bound: its variance
// counts as if it had this deviation besides.
constexpr double kPixelNoise = 0.1;

}  // namespace

Labelled read_labelled(const Settings& settings, const std::string& folder, ImageSet set) {
  const std::size_t all = set == ImageSet::training ? kTrainingImages : kTestImages;
  const Images images =
      read_images(settings.data, folder, set, settings.quick ? kQuickImages : all);
  Labelled out;
  out.pixels.assign(images.pixels.begin(), images.pixels.end());
  out.labels.assign(images.labels.begin(), images.labels.end());
  out.targets.assign(images.labels.begin(), images.labels.end());
  return out;
}

Labelled part_of(const Labelled& images, bool kept_back) {
  Labelled out;
  for (std::size_t i = 0; i < images.labels.size(); ++i) {
    if ((i % kKeptBack == 0) != kept_back) continue;
    const auto first = images.pixels.begin() + static_cast<std::ptrdiff_t>(i * kPixels);
    out.pixels.insert(out.pixels.end(), first, first + kPixels);
    out.targets.push_back(images.targets[i]);
    out.labels.push_back(images.labels[i]);
  }
  return out;
}

PixelScales::PixelScales(double factor) : mean_(kPixels, 0), deviation_(kPixels, 1 / factor) {}

PixelScales::PixelScales(const Labelled& images) : mean_(kPixels), deviation_(kPixels) {
  const auto count = static_cast<double>(images.labels.size());
  for (std::size_t i = 0; i < images.pixels.size(); ++i)
    mean_[i % kPixels] += images.pixels[i] / count;
  for (std::size_t i = 0; i < images.pixels.size(); ++i) {
    const double excess = images.pixels[i] - mean_[i % kPixels];
    deviation_[i % kPixels] += excess * excess / count;
  }
  for (double& deviation : deviation_) deviation = std::sqrt(deviation + kPixelNoise * kPixelNoise);
}

Labelled PixelScales::scaled(Labelled images) const {
  for (std::size_t i = 0; i < images.pixels.size(); ++i)
    images.pixels[i] = (images.pixels[i] - mean_[i % kPixels]) / deviation_[i % kPixels];
  return images;
}

}  // namespace postrider::experiments

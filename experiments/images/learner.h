// A dense network that learns images, tested after every epoch.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "labelled.h"
#include "postrider/network/network.h"

namespace postrider::experiments {

// What is tried: the defaults are what the summary uses.
struct Setup {
  std::string name = {};
  bool standardised = true;  // else pixels are multiplied, so that their mean square is near one
  double power = 0;          // 0: 1 + weights / images
  double power_at_once = 2;  // of it, the most that an epoch renews
  std::size_t epochs = 10;
};

struct Epoch {
  double error = 0, loss = 0, calibration = 0, seconds = 0, noise = 0, temperature = 1;
};

class Learner {
 public:
  Learner(const Setup& setup, const Settings& settings, const Labelled& training);

  // Tells of every epoch on the console.
  std::vector<Epoch> learn(const Labelled& test_images);
  // The entropies of the predicted probabilities, image by image, in nats.
  std::vector<double> entropies(const Labelled& images) const;
  std::size_t weights() const { return network_.weight_count(); }
  double power() const;

 private:
  std::vector<double> probabilities(const Labelled& scaled) const;
  double best_temperature() const;
  Epoch tested(const Labelled& scaled) const;

  Setup setup_;
  Settings settings_;
  PixelScales scales_;
  Labelled training_, kept_back_;
  network::Network network_;
  double noise_ = 0, temperature_ = 1;
};

}  // namespace postrider::experiments

// What the paper prints about its algorithm.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "trained.h"

namespace postrider::experiments {

struct Quantity {
  std::string name;
  double Outcome::*value;
};
std::vector<Quantity> all_quantities();

struct Published {
  std::string quantity;
  double value;
  std::size_t seeds;                 // that it is a median of
  std::optional<double> range = {};  // between the quartiles
};
using PublishedValues = std::vector<Published>;

PublishedValues published_small();
PublishedValues published_mismatch();
PublishedValues published_large();

}  // namespace postrider::experiments

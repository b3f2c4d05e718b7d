#include "site_counts.h"

namespace postrider::experiments {

SiteCounts& SiteCounts::operator+=(const SiteCounts& other) {
  for (std::size_t l = 0; l < layers.size(); ++l)
    for (std::size_t e = 0; e < kEdges; ++e) layers[l][e] += other.layers[l][e];
  for (std::size_t k = 0; k < kUndefined; ++k) undefined[k] += other.undefined[k];
  unresolved += other.unresolved;
  guarded += other.guarded;
  return *this;
}

Count SiteCounts::of(Edge edge) const {
  Count out;
  for (const std::array<Count, kEdges>& layer : layers)
    out += layer[static_cast<std::size_t>(edge)];
  return out;
}

Count SiteCounts::used() const {
  Count out;
  for (const Edge edge : {Edge::to_weight, Edge::to_input, Edge::through_relu}) out += of(edge);
  return out;
}

}  // namespace postrider::experiments

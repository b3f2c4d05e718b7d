// What a Model consists of.
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "graph/joint.h"
#include "postrider/error.h"
#include "postrider/graph/model.h"

namespace postrider::internal {

enum class PlateKind { gaussian, block, sites, removed };
// A plate's kind, and its number among those of it.
struct PlatePlace {
  PlateKind kind;
  std::size_t number;
};

}  // namespace postrider::internal

namespace postrider::graph {

struct Model::State {
  internal::JointModel joint;
  std::vector<internal::PlatePlace> plates;
  bool is_inferred = false;

  const internal::JointModel& inferred() const {
    if (!is_inferred) throw NotFitted("this model has no belief yet: call infer() first");
    return joint;
  }
  internal::JointModel& changed() {
    is_inferred = false;
    return joint;
  }
  Plate added(internal::PlateKind kind, std::size_t number) {
    plates.push_back({kind, number});
    return plates.size() - 1;
  }
  const internal::PlatePlace& place(Plate plate) const {
    if (plate >= plates.size())
      reject("plate", plate, fmt::format("must be below {}", plates.size()));
    if (plates[plate].kind == internal::PlateKind::removed) reject("plate", plate, "was removed");
    return plates[plate];
  }
  std::size_t number_of(Plate plate, internal::PlateKind kind, std::string_view what) const {
    if (place(plate).kind != kind) reject("plate", plate, fmt::format("must be one of {}", what));
    return place(plate).number;
  }
};

}  // namespace postrider::graph

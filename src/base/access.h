// The only way from a public class to its inside. Headers of users name Access as a friend, and say nothing else of it.
#pragma once

#include <utility>

namespace postrider::internal {

struct Access {
  template <class Public>
  static auto& inside(Public& of) {
    return *of.state_;
  }
  template <class Public, class State>
  static Public made_of(State state) {
    return Public(std::move(state));
  }
};

}  // namespace postrider::internal

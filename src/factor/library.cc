// The factors of the list behind the public Factor interface: one value at a time, in double.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "factor/list-inl.h"
#include "factor/scalar.h"
#include "postrider/error.h"
#include "postrider/factor.h"

namespace postrider {
namespace {

namespace lanes = HWY_NAMESPACE;

// Some factors' edges depend on their parameters: they say so with describe_instance().
template <class F>
FactorInfo describe(const F& factor) {
  if constexpr (requires { factor.describe_instance(); }) {
    return factor.describe_instance();
  } else {
    return F::describe();
  }
}

template <class F>
class LibraryFactor final : public Factor {
 public:
  explicit LibraryFactor(F factor) : factor_(std::move(factor)), info_(describe(factor_)) {}

  const FactorInfo& info() const override { return info_; }

  Reply send(std::size_t edge, Rule rule, std::span<const Gaussian> incoming) const override {
    const RuleInfo& chosen = info_.find(edge, rule);
    expect_one_per_edge(info_, incoming);
    const auto* in = reinterpret_cast<const lanes::Message<double>*>(incoming.data());
    const lanes::Sent<double> out = factor_.send(edge, rule, in);
    Reply reply{gaussian_of(out.message), {}, static_cast<Event>(static_cast<int>(out.event))};
    if (chosen.has_log_scale) reply.log_scale = out.log_scale;
    return reply;
  }

  double evaluate(std::span<const double> values) const override {
    return factor_.evaluate(values);
  }

  std::vector<double> kinks(std::size_t edge, std::span<const double> values) const override {
    if constexpr (requires { factor_.kinks(edge, values); }) {
      return factor_.kinks(edge, values);
    } else {
      return info_.edges[edge].kinks;
    }
  }

 private:
  static_assert(sizeof(Gaussian) == sizeof(lanes::Message<double>));

  F factor_;
  FactorInfo info_;
};

}  // namespace

std::vector<std::string> factor_names() {
  std::vector<std::string> names;
  lanes::AllFactors::any([&]<class F>(std::type_identity<F>) {
    names.emplace_back(F::kName);
    return false;
  });
  return names;
}

std::unique_ptr<Factor> make_factor(std::string_view name, std::vector<Parameter> parameters) {
  std::unique_ptr<Factor> made;
  const bool found = lanes::with_factor(name, std::move(parameters), [&]<class F>(const F& factor) {
    made = std::make_unique<LibraryFactor<F>>(factor);
  });
  if (!found)
    throw InvalidArgument(
        fmt::format("no factor '{}'; there are: {}", name, fmt::join(factor_names(), ", ")));
  return made;
}

}  // namespace postrider

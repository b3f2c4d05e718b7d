// A factor whose messages come from Python, many rows per call.
#pragma once

#include <nanobind/nanobind.h>

#include <limits>

#include "postrider/graph/factor.h"

namespace postrider::python {

// `send(edge, rule, tau, rho)` gets the number of the edge, the name of the rule and two arrays of
// rows x edges, and returns a tuple of tau, rho, log scales or None, and events or None, each with one
// value per row. `evaluate(values)` is Factor::evaluate. The postrider.factor module wraps both around
// the class of the user.
//
// Any thread may call: the interpreter's lock is taken here. What Python raises goes through the
// library as nanobind::python_error and arrives at the caller with its traceback.
class PythonFactor final : public graph::Factor {
 public:
  PythonFactor(graph::FactorInfo info, nanobind::callable send, nanobind::callable evaluate);

  const graph::FactorInfo& info() const override { return info_; }
  graph::Reply send(std::size_t edge, graph::Rule rule,
                    std::span<const Gaussian> incoming) const override;
  void send_many(std::size_t edge, graph::Rule rule, std::span<const Gaussian> incoming,
                 const graph::Replies& replies) const override;
  // A call into Python costs as much as hundreds of messages: a plate goes in one.
  std::size_t messages_per_call() const override { return std::numeric_limits<std::size_t>::max(); }
  double evaluate(std::span<const double> values) const override;

 private:
  graph::FactorInfo info_;
  nanobind::callable send_, evaluate_;
};

}  // namespace postrider::python

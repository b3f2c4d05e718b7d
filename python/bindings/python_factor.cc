#include "python_factor.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <optional>
#include <vector>

#include "message_arrays.h"

namespace postrider::python {
namespace {

// What Python sent, checked for its lengths.
struct Sent {
  Doubles tau, rho;
  std::optional<Doubles> log_scales;
  std::optional<Bytes> events;

  Sent(const nb::tuple& answer, std::size_t rows)
      : tau(nb::cast<Doubles>(answer[0])), rho(nb::cast<Doubles>(answer[1])) {
    expect_length("tau", tau.shape(0), rows);
    expect_length("rho", rho.shape(0), rows);
    if (!answer[2].is_none()) {
      log_scales = nb::cast<Doubles>(answer[2]);
      expect_length("log_scale", log_scales->shape(0), rows);
    }
    if (!answer[3].is_none()) {
      events = nb::cast<Bytes>(answer[3]);
      expect_length("event", events->shape(0), rows);
    }
  }

  graph::Event event(std::size_t row) const {
    return events ? static_cast<graph::Event>((*events)(row)) : graph::Event::none;
  }
};

}  // namespace

PythonFactor::PythonFactor(graph::FactorInfo info, nb::callable send, nb::callable evaluate)
    : info_(std::move(info)), send_(std::move(send)), evaluate_(std::move(evaluate)) {}

graph::Reply PythonFactor::send(std::size_t edge, graph::Rule rule,
                                std::span<const Gaussian> incoming) const {
  graph::Reply reply;
  double log_scale = 0;
  send_many(edge, rule, incoming, {{&reply.message, 1}, {&reply.event, 1}, {&log_scale, 1}});
  if (!std::isnan(log_scale)) reply.log_scale = log_scale;
  return reply;
}

void PythonFactor::send_many(std::size_t edge, graph::Rule rule, std::span<const Gaussian> incoming,
                             const graph::Replies& replies) const {
  info_.find(edge, rule);
  const std::size_t edges = info_.edges.size(), rows = replies.messages.size();
  if (incoming.size() != rows * edges)
    reject(info_.name + ".incoming", incoming.size(), "must be one message per edge and row");
  const nb::gil_scoped_acquire acquire;
  NaturalRoom heard(incoming.size());
  for (std::size_t i = 0; i < incoming.size(); ++i) heard.set(i, incoming[i]);
  const nb::object answer =
      send_(edge, std::string(to_string(rule)), heard.tau.release({rows, edges}),
            heard.rho.release({rows, edges}));
  const Sent sent(nb::cast<nb::tuple>(answer), rows);
  for (std::size_t row = 0; row < rows; ++row) {
    replies.messages[row] = gaussian_at(sent.tau, sent.rho, row);
    if (!replies.events.empty()) replies.events[row] = sent.event(row);
    if (!replies.log_scales.empty())
      replies.log_scales[row] =
          sent.log_scales ? (*sent.log_scales)(row) : std::numeric_limits<double>::quiet_NaN();
  }
}

double PythonFactor::evaluate(std::span<const double> values) const {
  const nb::gil_scoped_acquire acquire;
  return nb::cast<double>(evaluate_(std::vector<double>(values.begin(), values.end())));
}

}  // namespace postrider::python

// Conjugate beliefs and topics; postrider.model has the names that people write.
#include "postrider/graph/conjugate.h"

#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>

#include "arrays.h"
#include "bindings.h"
#include "postrider/graph/topics.h"

namespace postrider::python {
namespace nb = nanobind;

namespace {

using graph::TopicBeliefs;
using Numbers = Given<double>;

std::vector<double> numbers_of(const Numbers& given) {
  const std::span<const double> values = span_of(given);
  return {values.begin(), values.end()};
}

graph::WordCounts counts_of(const Given<std::uint64_t>& first, const Given<std::uint32_t>& words,
                            const Numbers& numbers, std::size_t vocabulary) {
  return {span_of(first), span_of(words), span_of(numbers), vocabulary};
}

TopicBeliefs topic_beliefs(const Given<std::uint64_t>& first, const Given<std::uint32_t>& words,
                           const Numbers& numbers, std::size_t vocabulary, std::size_t topics,
                           const Numbers& share_prior, const Numbers& word_prior, std::size_t limit,
                           double tolerance, std::size_t starts, std::uint64_t seed) {
  const graph::TopicOptions options{.topics = topics,
                                    .share_prior = numbers_of(share_prior),
                                    .word_prior = numbers_of(word_prior),
                                    .limit = limit,
                                    .tolerance = tolerance,
                                    .starts = starts,
                                    .seed = seed,
                                    .go_on = [] {
                                      const nb::gil_scoped_acquire acquire;
                                      if (PyErr_CheckSignals() != 0) throw nb::python_error();
                                      return true;
                                    }};
  const nb::gil_scoped_release release;
  return graph::topic_beliefs(counts_of(first, words, numbers, vocabulary), options);
}

}  // namespace

void add_conjugate(nb::module_& module) {
  module.def("dirichlet_beliefs", [](std::size_t width, const Numbers& prior,
                                     const Numbers& counts) {
    auto found = graph::dirichlet_beliefs({width, span_of(prior), span_of(counts)});
    const std::size_t rows = found.parameters.size() / width;
    return nb::make_tuple(found.log_evidence, numpy_of(std::move(found.parameters), {rows, width}),
                          numpy_of(std::move(found.means), {rows, width}),
                          numpy_of(std::move(found.deviations), {rows, width}));
  });
  module.def("gamma_beliefs", [](const Numbers& shapes, const Numbers& rates, const Numbers& events,
                                 const Numbers& exposures) {
    auto found = graph::gamma_beliefs(
        {span_of(shapes), span_of(rates), span_of(events), span_of(exposures)});
    const std::size_t rows = found.shapes.size();
    return nb::make_tuple(found.log_evidence, numpy_of(std::move(found.shapes), {rows}),
                          numpy_of(std::move(found.rates), {rows}),
                          numpy_of(std::move(found.means), {rows}),
                          numpy_of(std::move(found.deviations), {rows}));
  });
  nb::class_<TopicBeliefs>(module, "TopicBeliefs")
      .def_ro("topics", &TopicBeliefs::topics)
      .def_ro("passes", &TopicBeliefs::passes)
      .def_ro("change", &TopicBeliefs::change)
      .def_ro("converged", &TopicBeliefs::converged)
      .def_ro("log_evidence_bound", &TopicBeliefs::log_evidence_bound)
      .def_prop_ro(
          "words",
          [](const TopicBeliefs& self) {
            return numpy_of(std::vector<double>(self.words), {self.topics, self.vocabulary});
          },
          nb::rv_policy::move)
      .def_prop_ro(
          "shares",
          [](const TopicBeliefs& self) {
            return numpy_of(std::vector<double>(self.shares),
                            {self.shares.size() / self.topics, self.topics});
          },
          nb::rv_policy::move)
      .def("shares_of",
           [](const TopicBeliefs& self, const Given<std::uint64_t>& first,
              const Given<std::uint32_t>& words, const Numbers& numbers, std::size_t vocabulary) {
             std::vector<double> found =
                 graph::topic_shares(self, counts_of(first, words, numbers, vocabulary));
             const std::size_t rows = found.size() / self.topics;
             return numpy_of(std::move(found), {rows, self.topics});
           })
      .def("log_likelihood",
           [](const TopicBeliefs& self, const Numbers& shares, const Given<std::uint64_t>& first,
              const Given<std::uint32_t>& words, const Numbers& numbers, std::size_t vocabulary) {
             return graph::word_log_likelihood(self, span_of(shares),
                                               counts_of(first, words, numbers, vocabulary));
           });
  module.def("topic_beliefs", &topic_beliefs);
}

}  // namespace postrider::python

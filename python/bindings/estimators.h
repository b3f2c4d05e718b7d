// What the bindings of Regressor and Classifier share.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "history.h"
#include "postrider/estimator_options.h"
#include "postrider/network/audit.h"
#include "postrider/network/network.h"
#include "postrider/table_encoder.h"
#include "postrider/weighted_rows.h"
#include "training.h"

namespace postrider::python {

// Options as Python's parameters name them, each value as Python has it.
EstimatorOptions options_from(const nanobind::dict& parameters);
// The other way round; None where the library chooses.
nanobind::dict parameters_of(const EstimatorOptions& options);

// An estimator with the lock that lets many predict, or one learn: Python's own is released meanwhile.
template <class Estimator>
class Guarded {
 public:
  explicit Guarded(Estimator&& estimator)
      : estimator_(std::move(estimator)),
        watch_(std::make_unique<Watch>()),
        history_(history_of(estimator_)) {}

  template <class Call>
  auto read(Call&& call) const {
    const nanobind::gil_scoped_release released;
    const std::shared_lock lock(*mutex_);
    return call(estimator_);
  }
  template <class Call>
  auto change(Call&& call) {
    const nanobind::gil_scoped_release released;
    const std::lock_guard only_writer(*writers_);
    const std::unique_lock lock(*mutex_);
    return call(estimator_);
  }
  // The call changes a copy while others go on reading; unless it throws, the copy takes the estimator's place.
  template <class Call>
  void replace(Call&& call) {
    const nanobind::gil_scoped_release released;
    const std::lock_guard only_writer(*writers_);
    Estimator copy = [this] {
      const std::shared_lock lock(*mutex_);
      return estimator_.copy();
    }();
    call(copy);
    const std::unique_lock lock(*mutex_);
    estimator_ = std::move(copy);
  }
  // In so many seconds, 0 for any number. Returns the reports, and whether Ctrl-C ended training.
  template <class Call>
  std::pair<std::vector<FitReport>, bool> train(std::size_t rows, Call&& call,
                                                nanobind::object progress, double seconds) {
    std::vector<FitReport> reports;
    watch_->end_after(seconds);
    const bool interrupted = watch_->run(
        [&] {
          const std::unique_lock lock(*mutex_);
          reports = call(estimator_, watch_->callbacks());
          history_.fitted(rows, reports);
        },
        std::move(progress));
    return {std::move(reports), interrupted};
  }
  template <class Call>
  StreamReport learn_more(Call&& call) {
    return change([&](Estimator& estimator) {
      const StreamReport report = call(estimator);
      history_.learned_more(report);
      return report;
    });
  }
  // For calls that train several at once: they hold all locks while they do.
  std::unique_lock<std::shared_mutex> locked() { return std::unique_lock(*mutex_); }
  Estimator& while_locked() { return estimator_; }
  void fitted(std::size_t rows, const std::vector<FitReport>& reports) {
    history_.fitted(rows, reports);
  }
  // For what no call changes; of estimators that are replaced nothing is.
  const Estimator& unguarded() const { return estimator_; }
  const History& history() const { return history_; }

 private:
  // A model of a table has a history of its own; who has learned nothing has none.
  static History history_of(const Estimator& estimator) {
    if constexpr (requires { estimator.notes(); })
      if (estimator.inputs() > 0) return History(estimator.notes());
    return History();
  }

  Estimator estimator_;
  std::unique_ptr<Watch> watch_;
  History history_;
  std::unique_ptr<std::shared_mutex> mutex_ = std::make_unique<std::shared_mutex>();
  std::unique_ptr<std::mutex> writers_ = std::make_unique<std::mutex>();  // taken before mutex_
};

// The natural parameters of the weights, each array units by inputs, per layer.
using View = nanobind::ndarray<nanobind::numpy, nanobind::ro>;
std::vector<std::pair<View, View>> beliefs_of(const network::Network& network,
                                              nanobind::handle owner);

// The rows of an array, by its first extent.
template <class T>
std::size_t rows_of(const Given<T>& array) {
  return array.ndim() == 0 ? 0 : array.shape(0);
}

// A matrix of scipy in compressed sparse rows, whose memory is used as it is.
struct SparseMatrix {
  std::size_t columns;
  Given<std::size_t> begins;
  Given<std::uint32_t> places;
  Given<double> values;
};
inline std::size_t rows_of(const SparseMatrix& matrix) { return matrix.begins.size() - 1; }

// Rows as an estimator takes them.
inline Inputs inputs_of(const Given<double>& array) {
  if (array.ndim() != 2 || array.shape(1) == 0) return span_of(array);
  return {span_of(array), array.shape(0), array.shape(1)};
}
// Zeros stay zeros if most of the numbers are.
inline Inputs inputs_of(const SparseMatrix& matrix) {
  const bool keeps_zeros = 2 * matrix.values.size() < rows_of(matrix) * matrix.columns;
  return {matrix.columns, span_of(matrix.begins), span_of(matrix.places), span_of(matrix.values),
          keeps_zeros};
}

// Rows that count more or less than once.
template <class Rows>
WeightedRows counted_rows(const Rows& x, std::span<const double> y,
                          const std::optional<Given<double>>& w, WeightedRows::Order order) {
  return weighted_rows({inputs_of(x), y, span_of(w)}, order);
}

// The group of each of these rows, from those of the rows that were given; none if there are none.
inline std::vector<std::uint32_t> groups_of(const WeightedRows& rows,
                                            const std::optional<Given<std::uint32_t>>& given) {
  std::vector<std::uint32_t> out;
  if (given)
    for (const std::size_t place : rows.places) out.push_back(given->data()[place]);
  return out;
}

inline std::vector<double> numbers_of(const Given<std::size_t>& labels) {
  return {labels.data(), labels.data() + labels.size()};
}

// Text and JSON of a certificate, and whether nothing was wrong.
std::tuple<std::string, std::string, bool> certificate_of(
    const network::Network& network, const Examples& rows, network::Likelihood likelihood,
    std::span<const double> noise_variance, const network::NetworkCertificate::Options& options);

// What both classes offer under the same names.
template <class Estimator>
void add_common(nanobind::class_<Guarded<Estimator>>& to) {
  namespace nb = nanobind;
  using Self = Guarded<Estimator>;
  to.def("save",
         [](const Self& self, const std::string& path, const Notes& notes) {
           self.read([&](const Estimator& e) { e.save(path, notes); });
         })
      .def_static("load", [](const std::string& path) { return Self(Estimator::load(path)); })
      .def("to_bytes",
           [](const Self& self, const Notes& notes) {
             std::ostringstream out;
             self.read([&](const Estimator& e) { e.save(out, notes); });
             const std::string bytes = out.str();
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def_static("from_bytes",
                  [](const nb::bytes& bytes) {
                    std::istringstream from(std::string(bytes.c_str(), bytes.size()));
                    return Self(Estimator::load(from));
                  })
      .def("use_threads",
           [](Self& self, unsigned threads) {
             self.change([&](Estimator& e) { e.use_threads(threads); });
           })
      .def("beliefs",
           [](nb::handle_t<Self> self, std::size_t member) {
             return beliefs_of(nb::cast<const Self&>(self).unguarded().network(member), self);
           })
      .def_prop_ro("notes", [](const Self& self) { return self.unguarded().notes(); })
      .def("table_notes",
           [](const Self& self, const std::vector<std::string>& inputs, std::string target,
              std::vector<std::string> classes) {
             std::vector<ColumnSchema> columns;
             for (const std::string& name : inputs) columns.push_back({.name = name});
             return self.read([&](const Estimator& e) {
               return self.history().notes(
                   e.notes(), {std::move(columns), std::move(target), std::move(classes)});
             });
           })
      .def("frame_notes",
           [](const Self& self, const TableEncoder& encoder, std::string target,
              std::vector<std::string> classes) {
             return self.read([&](const Estimator&) {
               return self.history().notes({}, {encoder.schema().columns, std::move(target),
                                                std::move(classes), encoder.schema().na});
             });
           })
      .def_prop_ro("history", [](const Self& self) { return self.history().steps(); })
      .def_prop_ro("inputs", [](const Self& self) { return self.unguarded().inputs(); })
      .def_prop_ro("out_of_fold_score",
                   [](const Self& self) -> std::optional<std::tuple<double, double, std::size_t>> {
                     const auto score = self.unguarded().out_of_fold_score();
                     if (!score) return {};
                     return std::tuple(score->log_likelihood, score->standard_error, score->rows);
                   })
      .def_prop_ro("rows_learned", [](const Self& self) { return self.unguarded().rows_learned(); })
      .def_prop_ro("neighbour_rows",
                   [](const Self& self) { return self.unguarded().neighbour_rows(); })
      .def_prop_ro("ensemble_size",
                   [](const Self& self) { return self.unguarded().ensemble_size(); })
      .def_prop_ro("encodings",
                   [](const Self& self) {
                     std::vector<std::string> out;
                     for (const ColumnEncoding& each : self.unguarded().encodings())
                       out.emplace_back(to_string(each.kind));
                     return out;
                   })
      .def("noise_variance", [](const Self& self, std::size_t member) {
        return self.unguarded().noise_variance(member);
      });
}

}  // namespace postrider::python

// What the bindings of Regressor and Classifier share.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "history.h"
#include "postrider/audit.h"
#include "postrider/network.h"
#include "postrider/weighted_rows.h"
#include "training.h"

namespace postrider::python {

// Options that both estimators have, by the same names.
struct CommonOptions {
  std::vector<std::size_t> hidden;
  std::string activation, precision;
  double weights_per_example;
  std::size_t members, max_epochs, patience;
  std::uint64_t seed;
  unsigned threads;

  template <class Options>
  void give(Options& options) const {
    options.hidden = hidden;
    options.activation = chosen_activation();
    options.precision = chosen_precision();
    options.weights_per_example = weights_per_example;
    options.members = members;
    options.training.max_epochs = max_epochs;
    options.training.patience = patience;
    options.training.seed = seed;
    options.training.threads = threads;
  }

 private:
  Activation chosen_activation() const;
  Precision chosen_precision() const;
};

// An estimator with the lock that lets many predict, or one learn: Python's own is released meanwhile.
template <class Estimator>
class Guarded {
 public:
  template <class Options>
  explicit Guarded(Options options) : Guarded(watched(std::move(options))) {}
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
    const std::unique_lock lock(*mutex_);
    return call(estimator_);
  }
  // Returns the reports, and whether Ctrl-C ended training.
  template <class Call>
  std::pair<std::vector<FitReport>, bool> train(std::size_t rows, Call&& call,
                                                nanobind::object progress) {
    std::vector<FitReport> reports;
    const bool interrupted = watch_->run(
        [&] {
          const std::unique_lock lock(*mutex_);
          reports = call(estimator_);
          history_.fitted(rows, reports);
        },
        std::move(progress));
    return {std::move(reports), interrupted};
  }
  template <class Call>
  void learn_more(std::size_t rows, Call&& call) {
    change([&](Estimator& estimator) {
      call(estimator);
      history_.learned_more(rows);
    });
  }
  const Estimator& unguarded() const { return estimator_; }
  const History& history() const { return history_; }

 private:
  // A model of a table has a history of its own.
  static History history_of(const Estimator& estimator) {
    if constexpr (requires { estimator.notes(); }) return History(estimator.notes());
    return History();
  }

  struct Watched {
    std::unique_ptr<Watch> watch;
    Estimator estimator;
  };
  template <class Options>
  static Watched watched(Options options) {
    auto watch = std::make_unique<Watch>();
    watch->attach(options.training);
    return {std::move(watch), Estimator(options)};
  }
  explicit Guarded(Watched&& watched)
      : estimator_(std::move(watched.estimator)), watch_(std::move(watched.watch)) {}

  Estimator estimator_;
  std::unique_ptr<Watch> watch_;
  History history_;
  std::unique_ptr<std::shared_mutex> mutex_ = std::make_unique<std::shared_mutex>();
};

// The natural parameters of the weights, each array units by inputs, per layer.
using View = nanobind::ndarray<nanobind::numpy, nanobind::ro>;
std::vector<std::pair<View, View>> beliefs_of(const Network& network, nanobind::handle owner);

// The rows of an array, by its first extent.
template <class T>
std::size_t rows_of(const Given<T>& array) {
  return array.ndim() == 0 ? 0 : array.shape(0);
}

// Text and JSON of a certificate, and whether nothing was wrong.
std::tuple<std::string, std::string, bool> certificate_of(const Network& network,
                                                          const ObservedRows& rows,
                                                          const NetworkCertifyOptions& options);

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
           [](const Self& self, std::vector<std::string> inputs, std::string target,
              std::vector<std::string> classes) {
             return self.read([&](const Estimator& e) {
               return self.history().notes(
                   e.notes(), {std::move(inputs), std::move(target), std::move(classes)});
             });
           })
      .def_prop_ro("history", [](const Self& self) { return self.history().steps(); })
      .def_prop_ro("inputs", [](const Self& self) { return self.unguarded().inputs(); })
      .def_prop_ro("members", [](const Self& self) { return self.unguarded().members(); });
}

}  // namespace postrider::python

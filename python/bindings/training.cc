#include "training.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <thread>

#include "bindings.h"

namespace postrider::python {
namespace {

namespace nb = nanobind;

// Between two looks for signals.
constexpr std::chrono::milliseconds kPatience{50};

// The exceptions of Python that end training; the first one is kept.
class Stopped {
 public:
  // True if what `call` did should end training.
  template <class Call>
  bool by(Call&& call) {
    try {
      return call();
    } catch (nb::python_error& error) {
      if (error.matches(PyExc_KeyboardInterrupt))
        interrupted_ = true;
      else if (!error_)
        error_.emplace(std::move(error));
      return true;
    }
  }
  bool interrupted() {
    if (error_) throw std::move(*error_);
    return interrupted_;
  }

 private:
  std::optional<nb::python_error> error_;
  bool interrupted_ = false;
};

bool signalled() {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  return false;
}

bool told_of_choosing(const nb::object& progress, const TrainingCallbacks::Choosing& report) {
  return progress.attr("choosing")(report.ways, report.epochs, report.most_epochs)
      .is(nb::bool_(false));
}

}  // namespace

TrainingCallbacks Watch::callbacks() {
  TrainingCallbacks out;
  out.progress = [this](const EpochReport& report) { return tell(report); };
  out.interrupted = [this] { return cancelled_.load(std::memory_order_relaxed); };
  out.choosing = [this](const TrainingCallbacks::Choosing& report) {
    const std::scoped_lock lock(mutex_);
    told_.choosing = report;
    news_.notify_one();
  };
  out.warning = [this](const std::string& text) {
    const std::scoped_lock lock(mutex_);
    warnings_.push_back(text);
  };
  return budget_.limiting(std::move(out));
}

bool Watch::tell(const EpochReport& report) {
  const std::scoped_lock lock(mutex_);
  told_.epochs.push_back(report);
  news_.notify_one();
  return !cancelled_;
}

Watch::News Watch::wait() {
  const nb::gil_scoped_release released;
  std::unique_lock lock(mutex_);
  news_.wait_for(lock, kPatience,
                 [this] { return told_.is_done || told_.choosing || !told_.epochs.empty(); });
  return std::exchange(told_, {});
}

bool Watch::run(const std::function<void()>& training, nb::object progress) {
  cancelled_ = false;
  told_ = {};
  std::exception_ptr trouble;
  std::thread trainer([&] {
    try {
      training();
    } catch (...) {
      trouble = std::current_exception();
    }
    const std::scoped_lock lock(mutex_);
    told_.is_done = true;
    news_.notify_one();
  });
  Stopped stopped;
  const bool hears_of_choosing = nb::hasattr(progress, "choosing");
  for (bool is_done = false; !is_done;) {
    const News news = wait();
    is_done = news.is_done;
    if (news.choosing && hears_of_choosing && !cancelled_)
      if (stopped.by([&] { return told_of_choosing(progress, *news.choosing); })) cancelled_ = true;
    for (const EpochReport& report : news.epochs) {
      if (progress.is_none() || cancelled_) continue;
      if (stopped.by([&] { return progress(nb::cast(report)).is(nb::bool_(false)); }))
        cancelled_ = true;
    }
    if (stopped.by(signalled)) cancelled_ = true;
  }
  trainer.join();
  for (const std::string& text : std::exchange(warnings_, {}))
    if (PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 1) != 0) throw nb::python_error();
  if (trouble) std::rethrow_exception(trouble);
  return stopped.interrupted();
}

void add_training(nb::module_& m) {
  nb::class_<EpochReport>(m, "EpochReport", "How an epoch of training went.")
      .def_ro("epoch", &EpochReport::epoch)
      .def_ro("member", &EpochReport::member)
      .def_ro("members", &EpochReport::members)
      .def_ro("max_epochs", &EpochReport::max_epochs)
      .def_ro("score", &EpochReport::score)
      .def_ro("noise_variance", &EpochReport::noise_variance)
      .def_ro("best_epoch", &EpochReport::best_epoch)
      .def_ro("seconds", &EpochReport::seconds)
      .def_ro("drift", &EpochReport::drift)
      .def_ro("linearised", &EpochReport::linearised)
      .def_ro("silent", &EpochReport::silent)
      .def_ro("bounded", &EpochReport::bounded)
      .def_ro("guarded", &EpochReport::guarded);
  nb::class_<StreamReport::Change>(m, "StreamChange", "Rows that were suddenly predicted worse.")
      .def_ro("began", &StreamReport::Change::began)
      .def_ro("found", &StreamReport::Change::found)
      .def_ro("strength", &StreamReport::Change::strength);
  nb::class_<StreamReport::Rate>(m, "WeighedRate",
                                 "A rate of drift, and its weight in predictions.")
      .def_prop_ro("forgetting",
                   [](const StreamReport::Rate& self) { return self.rate.forgetting; })
      .def_prop_ro("walk", [](const StreamReport::Rate& self) { return self.rate.walk; })
      .def_ro("weight", &StreamReport::Rate::weight)
      .def_ro("has_window", &StreamReport::Rate::has_window);
  nb::class_<StreamReport>(m, "StreamReport", "How learning some rows of a stream went.")
      .def_ro("rows", &StreamReport::rows)
      .def_ro("score", &StreamReport::score)
      .def_ro("noise_variance", &StreamReport::noise_variance)
      .def_ro("linearised", &StreamReport::linearised)
      .def_ro("silent", &StreamReport::silent)
      .def_ro("guarded", &StreamReport::guarded)
      .def_ro("far_targets", &StreamReport::far_targets)
      .def_ro("sound", &StreamReport::sound)
      .def_ro("too_narrow", &StreamReport::too_narrow)
      .def_ro("changes", &StreamReport::changes)
      .def_ro("rates", &StreamReport::rates);
  nb::class_<FitReport>(m, "FitReport", "How the training of one member went.")
      .def_ro("epochs", &FitReport::epochs)
      .def_ro("best_epoch", &FitReport::best_epoch)
      .def_ro("refit_epochs", &FitReport::refit_epochs)
      .def_prop_ro("may_still_rise", &FitReport::may_still_rise)
      .def_prop_ro("reason",
                   [](const FitReport& self) { return std::string(to_string(self.reason)); });
}

}  // namespace postrider::python

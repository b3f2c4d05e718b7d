// One pass over the generated rows of bench/csv, with its network: without drift as it was, with drift as it is;
// and epochs over all of them.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "bench/csv/generate.h"
#include "parts.h"
#include "postrider/table_model.h"

namespace postrider::experiments {
namespace {

constexpr std::size_t kTrained = 900000, kTested = 50000;
constexpr std::size_t kQuickTrained = 6000, kQuickTested = 2000;
constexpr std::size_t kBytesPerRow = 180, kEpochs = 5;
const std::vector<std::size_t> kHidden{16};
constexpr double kLeftBehind = 0.05, kTimes = 4;

// A folder that goes with it.
class Scratch {
 public:
  Scratch()
      : path_(std::filesystem::temp_directory_path() /
              ("postrider_onepass_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string file(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

// So many rows of the file, after the first ones.
void cut(const std::string& from, const std::string& to, std::size_t skipped, std::size_t rows) {
  std::ifstream in(from);
  std::ofstream out(to);
  std::string line;
  std::getline(in, line);
  out << line << '\n';
  for (std::size_t row = 0; row < skipped + rows && std::getline(in, line); ++row)
    if (row >= skipped) out << line << '\n';
}

struct Found {
  double rmse = 0, log_likelihood = 0, seconds = 0;

  Object object() const {
    return {{"rmse", {rmse}}, {"log_likelihood", {log_likelihood}}, {"seconds", {seconds}}};
  }
};

template <class Train>
Found tried(const char* name, const std::string& test, Train&& train) {
  const auto start = std::chrono::steady_clock::now();
  const TableModel model = train();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  TableReader reader(test, model.schema());
  const TableEvaluation scores = model.evaluate(reader);
  const Found out{scores.root_mean_square_error.value, scores.log_likelihood.value, taken.count()};
  fmt::print("  {}: RMSE {:.4f}, log-likelihood {:.4f}, {:.1f} s\n", name, out.rmse,
             out.log_likelihood, out.seconds);
  return out;
}

}  // namespace

Part onepass(const Settings& settings) {
  Part part{"onepass", {}, {}, {}};
  const std::size_t trained = settings.quick ? kQuickTrained : kTrained,
                    tested = settings.quick ? kQuickTested : kTested;
  const Scratch scratch;
  const std::string all = scratch.file("all.csv"), rows = scratch.file("rows.csv"),
                    test = scratch.file("test.csv");
  bench::generate_csv(all, (trained + tested) * kBytesPerRow * 11 / 10);
  cut(all, rows, 0, trained);
  cut(all, test, trained, tested);
  TableModelOptions options;
  options.estimator.hidden = kHidden;
  options.estimator.training.seed = settings.seed;
  options.estimator.training.threads = 1;
  const auto streamed = [&](bool drift) {
    TableModelOptions own = options;
    own.estimator.drift = drift;
    TableReader reader(rows, {.target = bench::kTarget});
    return TableModel::train_stream(reader, own);
  };
  const Found plain = tried("plain pass", test, [&] { return streamed(false); });
  const Found living = tried("with drift", test, [&] { return streamed(true); });
  const Found epochs = tried("epochs", test, [&] {
    TableModelOptions own = options;
    own.estimator.ensemble_size = 1;
    own.estimator.encoding = Encoding::standard;
    own.estimator.target_scale = EstimatorOptions::TargetScale::plain;
    own.estimator.training.max_epochs = kEpochs;
    TableReader reader(rows, {.target = bench::kTarget});
    return TableModel::train(reader, own);
  });
  part.result = {{"rows", {static_cast<std::int64_t>(trained)}},
                 {"hidden_units", {static_cast<std::int64_t>(kHidden.front())}},
                 {"plain", {plain.object()}},
                 {"ours", {living.object()}},
                 {"epochs", {epochs.object()}},
                 {"epochs_learned", {static_cast<std::int64_t>(kEpochs)}},
                 {"times_plain", {living.seconds / plain.seconds}}};
  part.claims.push_back(
      {fmt::format("one pass within {:.0f} % of the error of epochs", 100 * kLeftBehind),
       living.rmse <= (1 + kLeftBehind) * epochs.rmse});
  if (!settings.quick)
    part.claims.push_back({fmt::format("at most {} times the time of a plain pass", kTimes),
                           living.seconds <= kTimes * plain.seconds});
  return part;
}

}  // namespace postrider::experiments

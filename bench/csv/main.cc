// How fast a table of text is read and learned, and in how much memory: a generated file, read alone
// and trained on as a stream.
#include <fmt/format.h>
#include <sys/resource.h>

#include <filesystem>
#include <string>

#include "bench/common/program.h"
#include "bench/common/stopwatch.h"
#include "bench/csv/generate.h"
#include "postrider/table_model.h"

namespace postrider::bench {
namespace {

using experiments::Part;

constexpr double kMega = 1e6;
constexpr std::uint64_t kFullMegabytes = 1024, kQuickMegabytes = 4;
constexpr double kReadGoal = 200;      // MB/s
constexpr double kResidentGoal = 300;  // MB
// Small, so that the reader has its share of the time; the widths of a network are its user's choice.
const std::vector<std::size_t> kHidden{16};

double peak_resident_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  constexpr double kBytesPerUnit = 1024;  // of Linux
  return static_cast<double>(usage.ru_maxrss) * kBytesPerUnit / kMega;
}

// Time of this process, all threads: what a shared machine gives to others is not in it.
double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / kMega;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// A folder that goes away with its files.
class Scratch {
 public:
  Scratch() : path_(std::filesystem::temp_directory_path() / "postrider-bench-csv") {
    std::filesystem::create_directories(path_);
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

std::size_t read_all(const std::string& path) {
  TableReader reader(path, {.target = kTarget});
  for (Table chunk; reader.next(chunk);) {
  }
  return reader.rows();
}

std::size_t train(const std::string& path) {
  TableReader reader(path, {.target = kTarget});
  TableModelOptions options;
  options.estimator.hidden = kHidden;
  return TableModel::train_stream(reader, options).history().front().rows;
}

Part csv(const Settings& settings) {
  const Scratch scratch;
  const std::string path = scratch.file("data.csv");
  const std::uint64_t megabytes = settings.quick ? kQuickMegabytes : kFullMegabytes;
  const std::uint64_t bytes = generate_csv(path, megabytes << 20);
  const double size = static_cast<double>(bytes) / kMega;

  std::size_t rows = 0;
  std::vector<double> processor;
  const double reading = median(times_of(settings.repeats, 0, [&] {
    const double before = processor_seconds();
    rows = read_all(path);
    processor.push_back(processor_seconds() - before);
  }));
  const Stopwatch watch;
  const std::size_t learned = train(path);
  const double training = watch.seconds();
  const double resident = peak_resident_megabytes();
  const double read_rate = size / reading, train_rate = size / training;
  const double read_processor_rate = size / median(processor);

  fmt::print(
      "\n  {:.0f} MB of CSV, {} rows, one thread\n"
      "    reading    {:8.1f} MB/s, {:.1f} MB per second of the processor\n    training   {:8.1f} "
      "MB/s, {:.0f} rows/s\n"
      "    memory     {:8.1f} MB at most\n\n",
      size, rows, read_rate, read_processor_rate, train_rate,
      static_cast<double>(learned) / training, resident);
  return {"csv",
          {{"quick", {settings.quick}},
           {"megabytes", {size}},
           {"rows", {static_cast<std::int64_t>(rows)}},
           {"learned_rows", {static_cast<std::int64_t>(learned)}},
           {"hidden_units", {static_cast<std::int64_t>(kHidden.front())}},
           {"read_mb_per_s", {read_rate}},
           {"read_mb_per_processor_s", {read_processor_rate}},
           {"train_mb_per_s", {train_rate}},
           {"train_rows_per_s", {static_cast<double>(learned) / training}},
           {"peak_resident_mb", {resident}}},
          {{fmt::format("reading at {:.0f} MB/s, goal at least {}", read_rate, kReadGoal),
            read_rate >= kReadGoal},
           {fmt::format("at most {:.0f} MB in memory, goal below {}", resident, kResidentGoal),
            resident < kResidentGoal}}};
}

}  // namespace
}  // namespace postrider::bench

// `generate <megabytes> <file>` only writes the file; otherwise it is written, measured and removed.
int main(int argc, char** argv) {
  using namespace postrider::bench;
  if (argc == 4 && std::string(argv[1]) == "generate") {
    const std::uint64_t bytes = generate_csv(argv[3], std::stoull(argv[2]) << 20);
    fmt::print("{} bytes in {}\n", bytes, argv[3]);
    return 0;
  }
  Program program;
  program.what = "Times reading and learning of a large CSV file.";
  program.full_folder = POSTRIDER_RESULTS;
  program.quick_folder = POSTRIDER_QUICK_RESULTS;
  program.repeats = 3;
  program.run = csv;
  return run_program(argc, argv, program);
}

// How long rounds and sums take, by as many ranks as mpirun starts. Prints one line of JSON.
//
//   mpirun -n 2 speed [--quick]
//   speed --round
//
// speed.py calls it with one rank and with two, in turns, and compares the ratio with what simulate.py expects. With
// --round it tells what of a round each process repeats, whoever has the groups.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "base/random.h"
#include "mpi/communicator.h"
#include "postrider/distributed/parts.h"
#include "postrider/regressor.h"

namespace postrider::experiments {
using namespace internal;
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Time of all threads of this process: what others do on the machine does not count.
double processor_seconds() {
  return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

// Measures the time that sums and gatherings take, waiting for others included.
class Timed : public distributed::Communicator {
 public:
  explicit Timed(distributed::Communicator& of) : of_(of) {}
  std::size_t rank() const override { return of_.rank(); }
  std::size_t size() const override { return of_.size(); }
  distributed::Communicator::Outcome sum(std::span<std::int64_t> numbers) override {
    return timed([&] { return of_.sum(numbers); });
  }
  distributed::Communicator::Outcome gather(std::span<const std::byte> own,
                                            std::vector<std::vector<std::byte>>& all) override {
    return timed([&] { return of_.gather(own, all); });
  }
  double seconds() const { return seconds_; }

 private:
  template <class Call>
  distributed::Communicator::Outcome timed(Call&& call) {
    const auto start = Clock::now();
    const distributed::Communicator::Outcome out = call();
    seconds_ += seconds_since(start);
    return out;
  }
  distributed::Communicator& of_;
  double seconds_ = 0;
};

struct Size {
  std::size_t inputs, units, rows, group_size, epochs, shards;
};

// Alone, without anybody who is late: of so many numbers.
double seconds_per_sum(distributed::Communicator& ranks, std::size_t numbers) {
  constexpr int kTimes = 10;
  std::vector<std::int64_t> values(numbers, 1);
  ranks.sum(values);
  const auto start = Clock::now();
  for (int i = 0; i < kTimes; ++i) ranks.sum(values);
  return seconds_since(start) / kTimes;
}

struct Problem {
  std::vector<double> x, y;
  EstimatorOptions options;
};

Problem problem_of(const Size& size) {
  RandomStream random(1, 0);
  Problem out{std::vector<double>(size.rows * size.inputs), std::vector<double>(size.rows), {}};
  for (double& value : out.x) value = random.normal();
  for (std::size_t i = 0; i < size.rows; ++i)
    out.y[i] = std::sin(out.x[i * size.inputs]) + out.x[i * size.inputs + 1];
  out.options = {.hidden = {size.units, size.units},
                 .weights_per_example = 0,
                 .ensemble_size = 1,
                 .power = 1,
                 .copies = EstimatorOptions::Copies::together};
  out.options.training.max_epochs = size.epochs;
  out.options.training.group_size = size.group_size;
  out.options.training.stopping = TrainerOptions::Stopping::epochs;
  out.options.varying_noise = false;
  return out;
}

// Rounds of one group each, by one process.
void take_a_round_apart(const Size& size) {
  const Problem problem = problem_of(size);
  Regressor model(problem.options);
  distributed::ShardHolder holder(model);
  holder.hold(0, Examples{problem.x, problem.y});
  const std::vector<distributed::ByteString> summaries{holder.summary(0)};
  holder.prepare(summaries);
  distributed::DistributedDriver driver(model, {}, summaries);
  double of_groups = 0, repeated = 0;
  std::size_t rounds = 0;
  while (true) {
    const double begin = processor_seconds();
    const distributed::ByteString step = driver.next();
    if (step.empty()) break;
    const double told = processor_seconds();
    const distributed::ShardHolder::Answer answer = holder.run(step);
    const double done = processor_seconds();
    driver.accept(answer.sums, std::vector<distributed::ByteString>{answer.results});
    // The first epoch is for memory that is used for the first time.
    if (driver.epochs() == 0 || answer.sums.empty()) continue;
    of_groups += done - told;
    repeated += told - begin + processor_seconds() - done;
    ++rounds;
  }
  driver.conclude();
  fmt::print(
      "{{\"weights\": {}, \"rows_per_group\": {}, \"rounds\": {}, \"seconds_per_group\": {:.6f}, "
      "\"seconds_repeated\": {:.6f}}}\n",
      model.network().weight_count(), size.group_size, rounds,
      of_groups / static_cast<double>(rounds), repeated / static_cast<double>(rounds));
}

void run(const Size& size, MpiCommunicator& ranks) {
  const Problem problem = problem_of(size);
  Regressor model(problem.options);
  Timed timed(ranks);
  distributed::DistributedOptions how;
  how.rows_in_flight = 0.01;
  std::vector<double> ends;
  const auto start = Clock::now();
  const distributed::DistributedReport report = distributed::fit_distributed(
      model, distributed::shards_of(Examples{problem.x, problem.y}, size.shards), how, timed,
      {.progress = [&](const EpochReport&) {
        ends.push_back(seconds_since(start));
        return true;
      }});
  // The first epoch begins with rounds of single groups.
  const double per_epoch = (ends.back() - ends.front()) / static_cast<double>(ends.size() - 1);
  const std::size_t weights = model.network().weight_count();
  const double sum = seconds_per_sum(ranks, 2 * weights);
  if (ranks.rank() == 0)
    fmt::print(
        "{{\"ranks\": {}, \"weights\": {}, \"rows\": {}, \"groups\": {}, \"shards\": {}, "
        "\"rounds\": {}, "
        "\"seconds_per_epoch\": {:.6f}, "
        "\"seconds_in_sums\": {:.6f}, \"seconds_per_sum\": {:.6f}}}\n",
        ranks.size(), weights, size.rows, size.rows / size.group_size, size.shards, report.rounds,
        per_epoch, timed.seconds(), sum);
}

}  // namespace
}  // namespace postrider::experiments

int main(int count, char** arguments) {
  using namespace postrider::experiments;
  const auto is_asked = [&](const char* option) {
    return count > 1 && std::strcmp(arguments[1], option) == 0;
  };
  if (is_asked("--round")) {
    take_a_round_apart({200, 900, 3200, 160, 3, 1});
    return 0;
  }
  postrider::internal::MpiCommunicator ranks(std::chrono::seconds(600));
  run(is_asked("--quick") ? Size{100, 100, 2000, 10, 3, 4} : Size{200, 900, 32000, 160, 2, 4},
      ranks);
}

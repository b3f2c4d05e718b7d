#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "cli/commands/train.h"
#include "cli/program.h"
#include "postrider/error.h"
#ifdef POSTRIDER_HAS_MPI
#include "mpi/communicator.h"
#endif

namespace postrider::cli {
namespace {

// They would say the same as the first. Returns where errors went before.
[[maybe_unused]] int silence() {
  const int errors = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
  for (std::FILE* const stream : {stdout, stderr})
    if (std::freopen("/dev/null", "w", stream) == nullptr) std::abort();
  return errors;
}

#ifdef POSTRIDER_HAS_MPI
// Ends the job, whoever waits for whom. The first rank that is there says why, and the others give it time to.
class EndOfSilentJob {
 public:
  explicit EndOfSilentJob(double deadline_seconds) : deadline_(deadline_seconds) {}

  std::unique_ptr<internal::MpiCommunicator> job() {
    auto out = std::make_unique<internal::MpiCommunicator>(
        std::chrono::duration<double>(deadline_),
        [end = *this](const std::vector<std::size_t>& silent) mutable { end(silent); });
    *ranks_ = out.get();
    if (out->rank() != 0) *errors_ = silence();
    return out;
  }

 private:
  void operator()(const std::vector<std::size_t>& silent) {
    constexpr std::chrono::seconds kTimeToSpeak{10};
    std::size_t first = 0;
    while (std::ranges::find(silent, first) != silent.end()) ++first;
    internal::MpiCommunicator& job = **ranks_;
    if (job.rank() != first) std::this_thread::sleep_for(kTimeToSpeak);
    const std::string text = fmt::format(
        "postrider: train: {} within {:g} s (--deadline): the job is ended. The same call with "
        "--resume goes on from what --checkpoint has\n",
        names_of(silent), deadline_);
    static_cast<void>(!write(*errors_, text.data(), text.size()));
    job.abort(static_cast<int>(ExitCode::unreadable));
  }

  static std::string names_of(const std::vector<std::size_t>& silent) {
    if (silent.empty()) return "a rank has not answered";
    std::string out = silent.size() == 1 ? "rank " : "ranks ";
    for (std::size_t i = 0; i < silent.size(); ++i)
      out += (i == 0 ? "" : ", ") + std::to_string(silent[i]);
    return out + (silent.size() == 1 ? " has not answered" : " have not answered");
  }

  double deadline_;
  std::shared_ptr<internal::MpiCommunicator*> ranks_ =
      std::make_shared<internal::MpiCommunicator*>(nullptr);
  std::shared_ptr<int> errors_ = std::make_shared<int>(STDERR_FILENO);
};
#endif

}  // namespace

bool is_started_by_mpi() {
  constexpr std::array kMarks{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "MPI_LOCALNRANKS"};
  return std::ranges::any_of(kMarks, [](const char* name) { return std::getenv(name) != nullptr; });
}

std::unique_ptr<distributed::Communicator> processes_of_job(
    [[maybe_unused]] double deadline_seconds) {
#ifdef POSTRIDER_HAS_MPI
  if (is_started_by_mpi()) return EndOfSilentJob(deadline_seconds).job();
#else
  if (is_started_by_mpi())
    throw Error(
        "this program was started by mpirun, but built where no MPI was found: each process would "
        "train "
        "a model of its own");
#endif
  return std::make_unique<distributed::LocalCommunicator>();
}

}  // namespace postrider::cli

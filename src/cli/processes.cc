#include "cli/processes.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "postrider/error.h"
#ifdef POSTRIDER_HAS_MPI
#include "mpi/communicator.h"
#endif

namespace postrider::cli {
namespace {

// They would say the same as the first.
[[maybe_unused]] void silence() {
  for (std::FILE* const stream : {stdout, stderr})
    if (std::freopen("/dev/null", "w", stream) == nullptr) std::abort();
}

}  // namespace

bool is_started_by_mpi() {
  constexpr std::array kMarks{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "MPI_LOCALNRANKS"};
  return std::ranges::any_of(kMarks, [](const char* name) { return std::getenv(name) != nullptr; });
}

std::unique_ptr<Communicator> processes_of_job([[maybe_unused]] double deadline_seconds) {
#ifdef POSTRIDER_HAS_MPI
  if (is_started_by_mpi()) {
    auto out = std::make_unique<MpiCommunicator>(std::chrono::duration<double>(deadline_seconds));
    if (out->rank() != 0) silence();
    return out;
  }
#else
  if (is_started_by_mpi())
    throw Error(
        "this program was started by mpirun, but built where no MPI was found: each process would "
        "train "
        "a model of its own");
#endif
  return std::make_unique<LocalCommunicator>();
}

}  // namespace postrider::cli

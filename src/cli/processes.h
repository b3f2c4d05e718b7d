// The processes that a call of the program is one of.
#pragma once

#include <memory>

#include "postrider/distributed.h"

namespace postrider::cli {

// Whether mpirun, or a scheduler that speaks its language, started this process.
bool is_started_by_mpi();

// The ranks of the job if mpirun started this one, else this process alone. All ranks but the first are silent from
// then on. Throws Error if it was started by mpirun, but built without MPI.
std::unique_ptr<Communicator> processes_of_job(double deadline_seconds);

}  // namespace postrider::cli

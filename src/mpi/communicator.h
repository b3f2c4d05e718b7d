// The ranks of an MPI job as processes that train together. Built where MPI is found; the library itself does not
// know of it.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "postrider/distributed/training.h"

namespace postrider::internal {

// Connects all ranks. Where the MPI library can tell of lost ranks (Open MPI 5 with `mpirun --with-ft ulfm`) the others
// go on; elsewhere MPI ends the job. A call that is not answered within the deadline ends with Communicator::Outcome::deadline,
// after which the job can only be aborted.
class MpiCommunicator : public distributed::Communicator {
 public:
  // Which ranks have not answered, by the time that a call ends with Communicator::Outcome::deadline.
  using OnSilence = std::function<void(const std::vector<std::size_t>& ranks)>;

  // Starts MPI, and ends it with this. Only one at a time. Throws Error.
  explicit MpiCommunicator(std::chrono::duration<double> deadline, OnSilence on_silence = {});
  // While an exception unwinds MPI is ended only if all ranks come here within some seconds: one that hangs, or goes on, would be waited for without
  // end. The job ends then with the process, which has not said that it is done.
  ~MpiCommunicator() override;

  std::size_t rank() const override;
  std::size_t size() const override;
  distributed::Communicator::Outcome sum(std::span<std::int64_t> numbers) override;
  distributed::Communicator::Outcome gather(std::span<const std::byte> own,
                                            std::vector<std::vector<std::byte>>& all) override;
  bool recover() override;
  // Ends all ranks; the job's exit code is this.
  [[noreturn]] void abort(int exit_code = 1);

 private:
  distributed::Communicator::Outcome answered(distributed::Communicator::Outcome outcome);
  std::vector<std::size_t> silent_ranks();

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace postrider::internal

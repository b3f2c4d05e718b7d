// The ranks of an MPI job as processes that train together. Built where MPI is found; the library itself does not
// know of it.
#pragma once

#include <chrono>
#include <memory>

#include "postrider/distributed.h"

namespace postrider {

// Connects all ranks. Where the MPI library can tell of lost ranks (Open MPI 5 with `mpirun --with-ft ulfm`) the others
// go on; elsewhere MPI ends the job. A call that is not answered within the deadline ends with Communication::deadline,
// after which the job can only be aborted.
class MpiCommunicator : public Communicator {
 public:
  // Starts MPI, and ends it with this. Only one at a time. Throws Error.
  explicit MpiCommunicator(std::chrono::duration<double> deadline);
  ~MpiCommunicator() override;

  std::size_t rank() const override;
  std::size_t size() const override;
  Communication sum(std::span<std::int64_t> numbers) override;
  Communication gather(std::span<const std::byte> own,
                       std::vector<std::vector<std::byte>>& all) override;
  bool recover() override;
  // Ends all ranks.
  [[noreturn]] void abort();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace postrider

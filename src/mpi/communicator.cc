#include "mpi/communicator.h"

#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <future>
#include <numeric>
#include <thread>
#include <utility>

#include "postrider/error.h"

namespace postrider::internal {
namespace {

// Large sums are faster in pieces: 256 KiB each.
constexpr std::size_t kPiece = std::size_t{1} << 15;
// Who waits looks so many times, and then gives the core to others for a while between two looks.
constexpr std::size_t kSpins = 2000;
constexpr std::chrono::microseconds kNap{20};
// How long others are waited for once something is wrong.
constexpr std::chrono::duration<double> kPatience{5};
constexpr int kHere = 71;  // the tag of messages that say that a rank is there

#ifdef OMPI_HAVE_MPI_EXT_FTMPI
// What a call returns that blocks and has no request to wait for; MPI_ERR_OTHER if it takes longer. It then goes on
// waiting in a thread of its own, and the job can only be aborted.
template <class Call>
int within(std::chrono::duration<double> deadline, Call call) {
  std::packaged_task<int()> task(std::move(call));
  std::future<int> found = task.get_future();
  std::thread(std::move(task)).detach();
  return found.wait_for(deadline) == std::future_status::ready ? found.get() : MPI_ERR_OTHER;
}

// A communicator of those that are left, or MPI_COMM_NULL. All of them must call it.
MPI_Comm shrunk(MPI_Comm comm, std::chrono::duration<double> deadline) {
  const auto left = std::make_shared<MPI_Comm>(MPI_COMM_NULL);
  const int code = within(deadline, [comm, left] { return MPIX_Comm_shrink(comm, left.get()); });
  return code == MPI_SUCCESS ? *left : MPI_COMM_NULL;
}
#endif

// A copy of the world, without ranks that were lost meanwhile; MPI_COMM_NULL if that cannot be.
MPI_Comm copy_of_world([[maybe_unused]] std::chrono::duration<double> deadline) {
  MPI_Comm out = MPI_COMM_NULL;
  const int code = MPI_Comm_dup(MPI_COMM_WORLD, &out);
#ifdef OMPI_HAVE_MPI_EXT_FTMPI
  // Some may have their copy while others have heard of a loss: all agree on what is next.
  const auto is_well = std::make_shared<int>(code == MPI_SUCCESS ? 1 : 0);
  const int agreed =
      within(deadline, [is_well] { return MPIX_Comm_agree(MPI_COMM_WORLD, is_well.get()); });
  if (agreed == MPI_ERR_OTHER) return MPI_COMM_NULL;
  return agreed == MPI_SUCCESS && *is_well != 0 ? out : shrunk(MPI_COMM_WORLD, deadline);
#else
  return code == MPI_SUCCESS ? out : MPI_COMM_NULL;
#endif
}

}  // namespace

struct MpiCommunicator::State {
  MPI_Comm comm = MPI_COMM_NULL;
  std::chrono::duration<double> deadline;
  bool is_lost = false, is_silent = false;
  OnSilence on_silence;

  // What a call's return code means.
  distributed::Communicator::Outcome outcome(int code) {
    if (code == MPI_SUCCESS) return distributed::Communicator::Outcome::done;
#ifdef OMPI_HAVE_MPI_EXT_FTMPI
    is_lost = true;
    MPIX_Comm_revoke(comm);  // so that nobody waits for those who have noticed
#endif
    return distributed::Communicator::Outcome::peer_lost;
  }

  distributed::Communicator::Outcome wait(MPI_Request& request) { return wait(request, deadline); }
  distributed::Communicator::Outcome wait(MPI_Request& request,
                                          std::chrono::duration<double> most) {
    const auto until = std::chrono::steady_clock::now() + most;
    for (std::size_t tries = 0;; ++tries) {
      int done = 0;
      const int code = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (code != MPI_SUCCESS) return outcome(code);
      if (done != 0) return distributed::Communicator::Outcome::done;
      if (tries < kSpins) continue;
      if (std::chrono::steady_clock::now() > until)
        return distributed::Communicator::Outcome::deadline;
      std::this_thread::sleep_for(kNap);
    }
  }
};

MpiCommunicator::MpiCommunicator(std::chrono::duration<double> deadline, OnSilence on_silence)
    : state_(std::make_unique<State>()) {
  state_->on_silence = std::move(on_silence);
  int level = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level) != MPI_SUCCESS)
    throw Error("MPI cannot be started");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  state_->comm = copy_of_world(deadline);
  if (state_->comm == MPI_COMM_NULL)
    throw Error("MPI cannot be started: a rank was lost, or did not answer in time");
  MPI_Comm_set_errhandler(state_->comm, MPI_ERRORS_RETURN);
  state_->deadline = deadline;
}

MpiCommunicator::~MpiCommunicator() {
  if (state_->is_silent) return;
  if (std::uncaught_exceptions() > 0) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (MPI_Ibarrier(state_->comm, &request) != MPI_SUCCESS ||
        state_->wait(request, kPatience) != distributed::Communicator::Outcome::done)
      return;
  }
  MPI_Comm_free(&state_->comm);
  MPI_Finalize();
}

std::size_t MpiCommunicator::rank() const {
  int out = 0;
  MPI_Comm_rank(state_->comm, &out);
  return static_cast<std::size_t>(out);
}

std::size_t MpiCommunicator::size() const {
  int out = 1;
  MPI_Comm_size(state_->comm, &out);
  return static_cast<std::size_t>(out);
}

distributed::Communicator::Outcome MpiCommunicator::sum(std::span<std::int64_t> numbers) {
  for (std::size_t first = 0; first < numbers.size(); first += kPiece) {
    const std::size_t count = std::min(kPiece, numbers.size() - first);
    MPI_Request request = MPI_REQUEST_NULL;
    const int code = MPI_Iallreduce(MPI_IN_PLACE, &numbers[first], static_cast<int>(count),
                                    MPI_INT64_T, MPI_SUM, state_->comm, &request);
    if (code != MPI_SUCCESS) return state_->outcome(code);
    if (const distributed::Communicator::Outcome outcome = state_->wait(request);
        outcome != distributed::Communicator::Outcome::done)
      return answered(outcome);
  }
  return distributed::Communicator::Outcome::done;
}

distributed::Communicator::Outcome MpiCommunicator::gather(
    std::span<const std::byte> own, std::vector<std::vector<std::byte>>& all) {
  const auto size = static_cast<int>(own.size());
  std::vector<int> sizes(this->size()), starts(this->size());
  MPI_Request request = MPI_REQUEST_NULL;
  int code = MPI_Iallgather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, state_->comm, &request);
  if (code != MPI_SUCCESS) return state_->outcome(code);
  if (const distributed::Communicator::Outcome outcome = state_->wait(request);
      outcome != distributed::Communicator::Outcome::done)
    return answered(outcome);
  std::exclusive_scan(sizes.begin(), sizes.end(), starts.begin(), 0);
  std::vector<std::byte> everything(static_cast<std::size_t>(starts.back() + sizes.back()));
  code = MPI_Iallgatherv(own.data(), size, MPI_BYTE, everything.data(), sizes.data(), starts.data(),
                         MPI_BYTE, state_->comm, &request);
  if (code != MPI_SUCCESS) return state_->outcome(code);
  if (const distributed::Communicator::Outcome outcome = state_->wait(request);
      outcome != distributed::Communicator::Outcome::done)
    return answered(outcome);
  all.clear();
  for (std::size_t r = 0; r < sizes.size(); ++r) {
    const auto begin = everything.begin() + starts[r];
    all.emplace_back(begin, begin + sizes[r]);
  }
  return distributed::Communicator::Outcome::done;
}

bool MpiCommunicator::recover() {
#ifdef OMPI_HAVE_MPI_EXT_FTMPI
  if (!state_->is_lost) return false;  // a deadline: the others are there, but do not answer
  const MPI_Comm left = shrunk(state_->comm, state_->deadline);
  if (left == MPI_COMM_NULL) return false;
  state_->comm = left;
  MPI_Comm_set_errhandler(state_->comm, MPI_ERRORS_RETURN);
  return true;
#else
  return false;
#endif
}

void MpiCommunicator::abort(int exit_code) {
  MPI_Abort(state_->comm, exit_code);
  std::abort();
}

distributed::Communicator::Outcome MpiCommunicator::answered(
    distributed::Communicator::Outcome outcome) {
  if (outcome != distributed::Communicator::Outcome::deadline) return outcome;
  state_->is_silent = true;
  if (state_->on_silence) state_->on_silence(silent_ranks());
  return outcome;
}

// All ranks that notice the silence say to each other that they are there. What is not answered is left behind: the job can only be aborted.
std::vector<std::size_t> MpiCommunicator::silent_ranks() {
  const std::size_t own = rank(), all = size();
  static const int here = 1;  // outlives messages that nobody takes
  const auto heard = std::make_shared<std::vector<int>>(all);
  std::vector<MPI_Request> asked(all, MPI_REQUEST_NULL), told(all, MPI_REQUEST_NULL);
  for (std::size_t r = 0; r < all; ++r) {
    if (r == own) continue;
    MPI_Irecv(&(*heard)[r], 1, MPI_INT, static_cast<int>(r), kHere, state_->comm, &asked[r]);
    MPI_Isend(&here, 1, MPI_INT, static_cast<int>(r), kHere, state_->comm, &told[r]);
  }
  const auto until = std::chrono::steady_clock::now() + kPatience;
  std::vector<std::size_t> out;
  for (std::size_t r = 0; r < all; ++r) {
    const auto left = until - std::chrono::steady_clock::now();
    if (r != own && state_->wait(asked[r], left) != distributed::Communicator::Outcome::done)
      out.push_back(r);
  }
  return out;
}

}  // namespace postrider::internal

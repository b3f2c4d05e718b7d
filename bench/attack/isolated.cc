#include "bench/attack/isolated.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>

namespace postrider::attack {
namespace {

constexpr unsigned kSeconds = 30;  // for one attempt

// Memory that a child writes and its parent reads.
class Shared {
 public:
  explicit Shared(std::size_t bytes)
      : bytes_(bytes),
        address_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (address_ == MAP_FAILED) throw std::bad_alloc();
  }
  ~Shared() { munmap(address_, bytes_); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

  template <class T>
  T* as(std::size_t offset = 0) const {
    return reinterpret_cast<T*>(static_cast<char*>(address_) + offset);
  }

 private:
  std::size_t bytes_;
  void* address_;
};

}  // namespace

std::size_t Attack::count(Outcome outcome) const {
  return static_cast<std::size_t>(std::ranges::count(outcomes, outcome));
}

std::vector<Outcome> isolated(std::size_t tries,
                              const std::function<Outcome(std::size_t)>& attempt) {
  using Place = std::atomic<std::size_t>;
  const Shared shared(sizeof(Place) + tries);
  auto* const at = new (shared.as<void>()) Place(0);
  auto* const found = shared.as<Outcome>(sizeof(Place));
  for (std::size_t next = 0; next < tries;) {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("cannot start a process");
    if (child == 0) {
      for (std::size_t one = next; one < tries; ++one) {
        *at = one;
        alarm(kSeconds);
        try {
          found[one] = attempt(one);
        } catch (const std::exception& error) {  // none of the library's family
          std::fprintf(stderr, "attempt %zu: %s\n", one, error.what());
          found[one] = Outcome::aborted;
        }
      }
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) break;
    next = *at;
    std::fprintf(stderr, "attempt %zu ended by signal %d\n", next,
                 WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    found[next++] = Outcome::aborted;
  }
  return {found, found + tries};
}

}  // namespace postrider::attack

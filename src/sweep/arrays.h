// Aligned arrays and the beliefs of a network's weights.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#include "base/large_pages.h"

namespace postrider::internal {

inline constexpr std::size_t kAlignment = 64;  // a cache line, and the widest vector

template <class T>
struct AlignedAllocator {
  using value_type = T;

  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}  // NOLINT: as the standard asks

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    void* const out = ::operator new(bytes, alignment(count));
    prefer_large_pages(out, bytes);
    return static_cast<T*>(out);
  }
  void deallocate(T* from, std::size_t count) { ::operator delete(from, alignment(count)); }

  friend bool operator==(AlignedAllocator, AlignedAllocator) { return true; }

 private:
  static std::align_val_t alignment(std::size_t count) {
    return std::align_val_t(count * sizeof(T) < kLargePage ? kAlignment : kLargePage);
  }
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

// Messages to, or beliefs in, all weights of a network: natural parameters in the order of a Layout.
template <class T>
struct WeightMessages {
  AlignedVector<T> tau, rho;

  WeightMessages() = default;
  // Uniform messages.
  explicit WeightMessages(std::size_t size) : tau(size), rho(size) {}

  std::size_t size() const { return tau.size(); }
};

}  // namespace postrider::internal

// Stored messages: natural parameters for every weight, one set per group of examples.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace postrider {

class StoreMemory;

template <class T>
class MessageStore {
 public:
  // All messages uniform. In memory, or in a mapped file that is made at `path`, with all its space
  // reserved, and loses its name at once. Throws FileError if it cannot be made: no space, or something
  // is there already.
  MessageStore(std::size_t groups, std::size_t weights, const std::string& path = {});
  ~MessageStore();
  MessageStore(const MessageStore&) = delete;
  MessageStore& operator=(const MessageStore&) = delete;

  std::size_t groups() const { return groups_; }
  std::size_t bytes() const { return 2 * groups_ * weights_ * sizeof(T); }

  std::span<T> tau(std::size_t group) { return {values_ + 2 * group * weights_, weights_}; }
  std::span<T> rho(std::size_t group) { return {values_ + (2 * group + 1) * weights_, weights_}; }
  // All of it: group by group, tau then rho.
  std::span<T> all() { return {values_, 2 * groups_ * weights_}; }

 private:
  std::size_t groups_, weights_;
  std::unique_ptr<StoreMemory> memory_;
  T* values_;
};

extern template class MessageStore<float>;
extern template class MessageStore<double>;

}  // namespace postrider

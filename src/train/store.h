// Stored messages: natural parameters, one set per group of examples, for the weights that its rows touch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/zero_pages.h"
#include "sweep/input_rows.h"
#include "sweep/touched_weights.h"

namespace postrider::internal {

// For each group, the inputs of the first layer that its message is about.
class InputLists {
 public:
  // Adds those of the next group, ascending, with the bias.
  void add(std::span<const std::uint32_t> inputs) {
    inputs_.insert(inputs_.end(), inputs.begin(), inputs.end());
    begins_.push_back(inputs_.size());
  }
  std::size_t groups() const { return begins_.size() - 1; }
  std::size_t all() const { return inputs_.size(); }  // of all groups together
  std::span<const std::uint32_t> operator[](std::size_t group) const {
    return std::span(inputs_).subspan(begins_[group], begins_[group + 1] - begins_[group]);
  }

 private:
  std::vector<std::size_t> begins_{0};
  std::vector<std::uint32_t> inputs_;
};

template <class T>
class MessageStore {
 public:
  // All messages uniform. In memory, or in a mapped file that is made at `path`, with all its space
  // reserved, and loses its name at once. Throws FileError if it cannot be made: no space, or something
  // is there already.
  MessageStore(std::size_t groups, std::size_t weights, const std::string& path = {});
  // For messages that are about some inputs each; all of them, if all lists are whole.
  MessageStore(const MessageShape& shape, InputLists lists, const std::string& path = {});
  ~MessageStore();
  MessageStore(const MessageStore&) = delete;
  MessageStore& operator=(const MessageStore&) = delete;

  std::size_t groups() const { return groups_; }
  std::size_t bytes() const { return size_ * sizeof(T); }
  bool is_sparse() const { return is_sparse_; }
  // The weights that a group's message is about.
  TouchedWeights touched(std::size_t group) const {
    if (!is_sparse_) return {shape_};
    return {shape_, false, lists_[group]};
  }

  std::span<T> tau(std::size_t group) { return {values_ + begin(group), numbers(group)}; }
  std::span<T> rho(std::size_t group) {
    return {values_ + begin(group) + numbers(group), numbers(group)};
  }
  // All of it: group by group, tau then rho.
  std::span<T> all() { return {values_, size_}; }

 private:
  std::size_t numbers(std::size_t group) const { return touched(group).size(); }
  std::size_t begin(std::size_t group) const {
    return is_sparse_ ? begins_[group] : 2 * group * shape_.all();
  }

  std::size_t groups_;
  MessageShape shape_;
  bool is_sparse_ = false;
  InputLists lists_;                 // if it is sparse
  std::vector<std::size_t> begins_;  // and where each group's numbers begin
  std::size_t size_;                 // in numbers
  std::unique_ptr<ZeroPages> memory_;
  T* values_;
};

extern template class MessageStore<float>;
extern template class MessageStore<double>;

}  // namespace postrider::internal

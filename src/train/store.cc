#include "train/store.h"

#include <algorithm>
#include <new>
#include <utility>

#include "postrider/budget.h"

namespace postrider::internal {

namespace {

// Pages come when they are first written, so that an epoch that is never reached costs nothing.
std::unique_ptr<ZeroPages> memory_of(std::size_t bytes, const std::string& path) {
  bytes = std::max<std::size_t>(1, bytes);  // rows of zeros may have nothing to say of any weight
  try {
    return path.empty() ? std::make_unique<ZeroPages>(bytes)
                        : std::make_unique<ZeroPages>(bytes, path, "make the store");
  } catch (const std::bad_alloc&) {
    throw OutOfMemory("cannot reserve " + std::to_string(bytes) +
                      " bytes for stored messages; store_budget says how many they may take, "
                      "and rows then share them");
  }
}

}  // namespace

template <class T>
MessageStore<T>::MessageStore(std::size_t groups, std::size_t weights, const std::string& path)
    : groups_(groups),
      shape_(MessageShape::of_all(weights)),
      size_(2 * groups * weights),
      memory_(memory_of(bytes(), path)),
      values_(static_cast<T*>(memory_->address())) {}

template <class T>
MessageStore<T>::MessageStore(const MessageShape& shape, InputLists lists, const std::string& path)
    : groups_(lists.groups()),
      shape_(shape),
      is_sparse_(shape.can_be_sparse() && lists.all() < groups_ * shape.inputs),
      size_(2 * groups_ * shape.all()) {
  if (is_sparse_) {
    lists_ = std::move(lists);
    size_ = 0;
    for (std::size_t group = 0; group < groups_; ++group) {
      begins_.push_back(size_);
      size_ += 2 * numbers(group);
    }
  }
  memory_ = memory_of(bytes(), path);
  values_ = static_cast<T*>(memory_->address());
}

template <class T>
MessageStore<T>::~MessageStore() = default;

template class MessageStore<float>;
template class MessageStore<double>;

}  // namespace postrider::internal

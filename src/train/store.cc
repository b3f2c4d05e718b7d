#include "train/store.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/descriptor.h"
#include "base/file_fault.h"
#include "base/large_pages.h"
#include "postrider/error.h"

namespace postrider {

// Pages that read as zero, from the system or from a file. The system hands out memory when it is first
// written, so that an epoch that is never reached costs nothing. A file's space is taken at once: where
// the disk is full, it is said here, and not by a signal in the middle of an epoch.
class StoreMemory {
 public:
  // Rows of zeros may have nothing to say of any weight: there is some memory even then.
  StoreMemory(std::size_t bytes, const std::string& path)
      : bytes_(std::max<std::size_t>(1, bytes)) {
    const Descriptor file = path.empty() ? Descriptor() : made_file(path);
    const int flags = path.empty() ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
    address_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, flags, file.get(), 0);
    if (address_ == MAP_FAILED) {
      std::string what = "cannot reserve ";
      what += std::to_string(bytes_);
      throw Error(what + " bytes for stored messages; use larger groups or a mapped file");
    }
    if (path.empty()) prefer_large_pages(address_, bytes_);
  }
  ~StoreMemory() { munmap(address_, bytes_); }
  StoreMemory(const StoreMemory&) = delete;
  StoreMemory& operator=(const StoreMemory&) = delete;

  void* address() const { return address_; }

 private:
  // Made anew, never one that is there or that a link leads to; its name goes at once, so that nothing is
  // left behind however the program ends.
  Descriptor made_file(const std::string& path) const {
    constexpr int kFlags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    Descriptor out(open(path.c_str(), kFlags, 0600));
    if (!out && errno == EEXIST)
      fail_file("make the store", path, EEXIST, "something of this name is there already");
    if (!out) fail_file("make the store", path, errno);
    unlink(path.c_str());
    int trouble = 0;
    do {
      trouble = posix_fallocate(out.get(), 0, static_cast<off_t>(bytes_));
    } while (trouble == EINTR);
    if (trouble != 0)
      fail_file("make the store", path, trouble,
                fault_reason(trouble) + "; it needs " + std::to_string(bytes_) + " bytes");
    return out;
  }

  std::size_t bytes_;
  void* address_;
};

template <class T>
MessageStore<T>::MessageStore(std::size_t groups, std::size_t weights, const std::string& path)
    : groups_(groups),
      shape_(MessageShape::of_all(weights)),
      size_(2 * groups * weights),
      memory_(std::make_unique<StoreMemory>(bytes(), path)),
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
  memory_ = std::make_unique<StoreMemory>(bytes(), path);
  values_ = static_cast<T*>(memory_->address());
}

template <class T>
MessageStore<T>::~MessageStore() = default;

template class MessageStore<float>;
template class MessageStore<double>;

}  // namespace postrider

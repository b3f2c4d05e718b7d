#include "train/store.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <utility>

#include "postrider/error.h"

namespace postrider {

// Pages that read as zero, from the system or from a file. The system hands them out when they are
// first written, so that an epoch that is never reached costs nothing.
class StoreMemory {
 public:
  StoreMemory(std::size_t bytes, std::string path) : bytes_(bytes), path_(std::move(path)) {
    const int flags = path_.empty() ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
    const int file = path_.empty() ? -1 : open_file();
    address_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, flags, file, 0);
    if (file >= 0) close(file);
    if (address_ == MAP_FAILED) {
      if (!path_.empty()) unlink(path_.c_str());
      std::string what = "cannot reserve ";
      what += std::to_string(bytes_);
      throw Error(what + " bytes for stored messages; use larger groups or a mapped file");
    }
  }
  ~StoreMemory() {
    munmap(address_, bytes_);
    if (!path_.empty()) unlink(path_.c_str());
  }
  StoreMemory(const StoreMemory&) = delete;
  StoreMemory& operator=(const StoreMemory&) = delete;

  void* address() const { return address_; }

 private:
  int open_file() const {
    const int file = open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file >= 0 && ftruncate(file, static_cast<off_t>(bytes_)) == 0) return file;
    if (file >= 0) {
      close(file);
      unlink(path_.c_str());
    }
    throw FileError(
        "cannot make the store " + path_ + ": does its folder exist, and is there space?", path_);
  }

  std::size_t bytes_;
  std::string path_;
  void* address_;
};

template <class T>
MessageStore<T>::MessageStore(std::size_t groups, std::size_t weights, const std::string& path)
    : groups_(groups),
      weights_(weights),
      memory_(std::make_unique<StoreMemory>(2 * groups * weights * sizeof(T), path)),
      values_(static_cast<T*>(memory_->address())) {}

template <class T>
MessageStore<T>::~MessageStore() = default;

template class MessageStore<float>;
template class MessageStore<double>;

}  // namespace postrider

#include "distributed/packing.h"

namespace postrider::internal {

void Packer::append(const void* from, std::size_t size) {
  if (size == 0) return;
  const auto* const begin = static_cast<const std::byte*>(from);
  bytes_.insert(bytes_.end(), begin, begin + size);
}

}  // namespace postrider::internal

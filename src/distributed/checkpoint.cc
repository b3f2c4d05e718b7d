#include "distributed/checkpoint.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "base/file_fault.h"
#include "data/safetensors.h"
#include "postrider/error.h"
#include "postrider/file.h"

namespace postrider::internal {
namespace {

constexpr std::uint64_t kMagic = 0x3274736964627470;  // "ptbdist2"
constexpr const char* kManifest = "manifest";

struct Head {
  std::uint64_t magic = kMagic, identity = 0, size = 0;
  std::uint32_t checksum = 0, unused = 0;
};

// Throws what is the trouble with a file that cannot be gone on from.
[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw CorruptFile("cannot go on from " + path + ": " + why);
}

std::ifstream opened(const std::string& path) {
  std::ifstream out(path, std::ios::binary);
  if (!out) fail_file("read", path, errno);
  return out;
}

Head head_of(std::ifstream& file, const std::string& path) {
  Head out;
  file.read(reinterpret_cast<char*>(&out), sizeof out);
  if (!file || out.magic != kMagic) fail(path, "it is no checkpoint of training that was spread");
  return out;
}

std::string manifest_in(const std::string& folder) { return folder + "/" + kManifest; }

std::string shard_name(std::uint64_t epoch, std::size_t shard) {
  return "epoch-" + std::to_string(epoch) + ".shard-" + std::to_string(shard);
}

}  // namespace

CheckpointFolder::CheckpointFolder(std::string path, std::uint64_t identity)
    : path_(std::move(path)), identity_(identity) {
  std::error_code trouble;
  std::filesystem::create_directories(path_, trouble);
  if (trouble) fail_file("make the folder", path_, trouble.value());
}

std::string CheckpointFolder::shard_path(std::uint64_t epoch, std::size_t shard) const {
  return path_ + "/" + shard_name(epoch, shard);
}
std::string CheckpointFolder::manifest_path() const { return manifest_in(path_); }

std::uint64_t CheckpointFolder::identity_in(const std::string& path) {
  std::ifstream file = opened(manifest_in(path));
  return head_of(file, manifest_in(path)).identity;
}

void CheckpointFolder::write(const std::string& path, const Bytes& bytes) const {
  const Head head{kMagic, identity_, bytes.size(), checksum_of(bytes), 0};
  FileWriter file(path);
  file.stream().write(reinterpret_cast<const char*>(&head), sizeof head);
  file.stream().write(reinterpret_cast<const char*>(bytes.data()),
                      static_cast<std::streamsize>(bytes.size()));
  file.finish();
}

Bytes CheckpointFolder::read(const std::string& path) const {
  std::ifstream file = opened(path);
  const Head head = head_of(file, path);
  if (head.identity != identity_) fail(path, "it is of another run: other data, options or shards");
  std::error_code trouble;
  const auto size = std::filesystem::file_size(path, trouble);
  if (trouble || size != sizeof head + head.size)
    fail(path, "it is shorter or longer than it was written");
  Bytes bytes(head.size);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file || checksum_of(bytes) != head.checksum)
    fail(path, "its bytes are not those that were written");
  return bytes;
}

void CheckpointFolder::write_shard(std::uint64_t epoch, std::size_t shard,
                                   const Bytes& bytes) const {
  write(shard_path(epoch, shard), bytes);
}

void CheckpointFolder::write_manifest(std::uint64_t epoch, const Bytes& bytes) const {
  Packer whole;
  whole.add(epoch);
  whole.add(bytes);
  write(manifest_path(), whole.take());
}

// What cannot be removed does no harm.
void CheckpointFolder::remove_others(std::uint64_t epoch, std::size_t shards) const {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(path_, ignored)) {
    const std::string name = entry.path().filename().string();
    bool is_present = !name.starts_with("epoch-");
    for (std::size_t s = 0; s < shards && !is_present; ++s)
      is_present = name == shard_name(epoch, s);
    if (!is_present) std::filesystem::remove(entry.path(), ignored);
  }
}

std::optional<CheckpointFolder::Manifest> CheckpointFolder::read_manifest() const {
  if (!std::filesystem::exists(manifest_path())) return std::nullopt;
  const Bytes whole = read(manifest_path());
  Unpacker from(whole, manifest_path());
  Manifest out;
  out.epoch = from.read<std::uint64_t>();
  out.bytes = from.read_all<std::byte>();
  from.expect_end();
  return out;
}

Bytes CheckpointFolder::read_shard(std::uint64_t epoch, std::size_t shard) const {
  return read(shard_path(epoch, shard));
}

}  // namespace postrider::internal

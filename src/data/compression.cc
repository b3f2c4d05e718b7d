#include "data/compression.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "postrider/error.h"

namespace postrider::internal {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 17;

[[noreturn]] void fail(const std::string& name, const std::string& what) {
  throw CorruptFile("cannot read " + name + ": " + what);
}

class Layered : public ByteSource {
 public:
  Layered(std::unique_ptr<ByteSource> below, std::string name)
      : below_(std::move(below)), name_(std::move(name)) {}
  std::uint64_t stored_bytes() const final { return below_->stored_bytes(); }
  std::uint64_t file_bytes() const final { return below_->file_bytes(); }

 protected:
  std::unique_ptr<ByteSource> below_;
  std::string name_;
};

class GzipBytes final : public Layered {
 public:
  GzipBytes(std::unique_ptr<ByteSource> below, std::string name)
      : Layered(std::move(below), std::move(name)) {
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    if (inflateInit2(&stream_, kGzipOnly) != Z_OK) fail(name_, "zlib does not start");
  }
  GzipBytes(const GzipBytes&) = delete;
  GzipBytes& operator=(const GzipBytes&) = delete;
  ~GzipBytes() override { inflateEnd(&stream_); }

  std::size_t read(std::span<char> to) override {
    if (to.empty()) return 0;
    to = to.first(std::min<std::size_t>(to.size(), 1u << 30));  // zlib counts in 32 bits
    stream_.next_out = reinterpret_cast<Bytef*>(to.data());
    stream_.avail_out = static_cast<uInt>(to.size());
    while (stream_.avail_out == to.size()) {
      if (stream_.avail_in == 0 && !refill()) {
        if (inside_) fail(name_, "its gzip data end too early");
        return 0;
      }
      if (!inside_) inflateReset(&stream_);
      inside_ = true;
      const int status = inflate(&stream_, Z_NO_FLUSH);
      if (status == Z_STREAM_END)
        inside_ = false;
      else if (status != Z_OK && status != Z_BUF_ERROR)
        fail(name_, "its gzip data are damaged");
    }
    return to.size() - stream_.avail_out;
  }

 private:
  bool refill() {
    const std::size_t got = below_->read(packed_);
    stream_.next_in = reinterpret_cast<Bytef*>(packed_.data());
    stream_.avail_in = static_cast<uInt>(got);
    return got > 0;
  }

  z_stream stream_{};
  bool inside_ = false;  // a piece
  std::vector<char> packed_ = std::vector<char>(kBlock);
};

class ZstandardBytes final : public Layered {
 public:
  ZstandardBytes(std::unique_ptr<ByteSource> below, std::string name)
      : Layered(std::move(below), std::move(name)), stream_(ZSTD_createDStream()) {
    if (!stream_) fail(name_, "zstd does not start");
  }

  std::size_t read(std::span<char> to) override {
    if (to.empty()) return 0;
    ZSTD_outBuffer out{to.data(), to.size(), 0};
    while (out.pos == 0) {
      // With no byte left to take, the decoder may still have some to give.
      if (packed_in_.pos == packed_in_.size && drained_ && !refill()) {
        if (inside_) fail(name_, "its zstd data end too early");
        return 0;
      }
      const std::size_t status = ZSTD_decompressStream(stream_.get(), &out, &packed_in_);
      if (ZSTD_isError(status) != 0)
        fail(name_, std::string("its zstd data are damaged (") + ZSTD_getErrorName(status) + ")");
      inside_ = status != 0;
      drained_ = !inside_ || out.pos < out.size;
    }
    return out.pos;
  }

 private:
  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };

  bool refill() {
    packed_in_ = {packed_.data(), below_->read(packed_), 0};
    return packed_in_.size > 0;
  }

  std::unique_ptr<ZSTD_DStream, Free> stream_;
  std::vector<char> packed_ = std::vector<char>(kBlock);
  ZSTD_inBuffer packed_in_{nullptr, 0, 0};
  bool inside_ = false, drained_ = true;
};

}  // namespace

std::unique_ptr<ByteSource> gzip_bytes(std::unique_ptr<ByteSource> below, const std::string& name) {
  return std::make_unique<GzipBytes>(std::move(below), name);
}

std::unique_ptr<ByteSource> zstandard_bytes(std::unique_ptr<ByteSource> below,
                                            const std::string& name) {
  return std::make_unique<ZstandardBytes>(std::move(below), name);
}

std::uint32_t checksum_of(std::span<const std::byte> bytes, std::uint32_t before) {
  if (bytes.empty()) return before;  // zlib takes a null pointer as a question for the first value
  return static_cast<std::uint32_t>(
      crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace postrider::internal

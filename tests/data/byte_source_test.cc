#include "data/byte_source.h"

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include "base/random.h"
#include "files.h"

namespace postrider {
using namespace internal;
namespace {

std::string all_of(ByteSource& source, std::size_t step) {
  std::string out, piece(step, '\0');
  while (const std::size_t got = source.read(piece)) out.append(piece, 0, got);
  return out;
}

std::string gzip(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string zstandard(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 1));
  return out;
}

// Neither compresses to nothing nor not at all.
std::string some_text(std::size_t size) {
  RandomStream random(3, 0);
  std::string out;
  while (out.size() < size) out += std::to_string(random.below(1000)) + ',';
  return out;
}

TEST(ByteSource, PlainAndCompressedFilesGiveTheSameBytesWhateverTheirName) {
  const TemporaryFolder folder;
  const std::string path = folder.file("data.csv");
  for (const std::size_t size : {0, 1, 3, 100, 500'000})
    for (const std::string& text : {some_text(size), some_text(size) + std::string(300'000, 'x')})
      for (const std::string& stored : {text, gzip(text), zstandard(text)}) {
        write_bytes(path, stored);
        for (const std::size_t step : {1000, 1 << 20}) {
          const auto source = open_bytes(path);
          EXPECT_EQ(all_of(*source, step), text);
          EXPECT_EQ(source->stored_bytes(), stored.size());
          EXPECT_EQ(source->file_bytes(), stored.size());
        }
      }
}

TEST(ByteSource, PiecesMayFollowEachOther) {
  const std::string text = some_text(1000);
  for (const std::string& stored : {gzip(text) + gzip(text), zstandard(text) + zstandard(text)})
    for (const std::size_t piece : {1, 7, 100'000})
      EXPECT_EQ(all_of(*memory_bytes(stored, "m", piece), 64), text + text);
}

TEST(ByteSource, CutOffAnywhereIsAnError) {
  const std::string text = some_text(200);
  for (const std::string& stored : {gzip(text), zstandard(text)})
    for (std::size_t size = 4; size < stored.size(); ++size) {
      const std::string message =
          trouble([&] { all_of(*memory_bytes(stored.substr(0, size), "data.csv.gz"), 64); });
      EXPECT_EQ(message.find("cannot read data.csv.gz: its "), 0u) << message;
      EXPECT_NE(message.find("end too early"), std::string::npos) << message;
    }
}

// A gzip file has a checksum: damage is told, unless it hits bits that mean nothing.
TEST(ByteSource, DamageIsAnErrorOrHarmless) {
  RandomStream random(4, 0);
  const std::string text = some_text(500);
  std::size_t refused = 0;
  constexpr std::size_t kFiles = 2000, kHeader = 10;
  for (std::size_t k = 0; k < kFiles; ++k) {
    std::string stored = gzip(text);
    stored[kHeader + random.below(stored.size() - kHeader)] ^=
        static_cast<char>(1 + random.below(255));
    std::string found;
    const std::string message = trouble([&] { found = all_of(*memory_bytes(stored, "m"), 64); });
    if (message == "no trouble")
      EXPECT_EQ(found, text);
    else
      ++refused;
  }
  EXPECT_GT(refused, kFiles * 9 / 10);
}

TEST(ByteSource, WhatCannotBeOpenedIsNamed) {
  const TemporaryFolder folder;
  const std::string missing = folder.file("none.csv");
  EXPECT_EQ(trouble([&] { open_bytes(missing); }),
            "cannot open " + missing + ": No such file or directory");
  const std::string inside = folder.file("");
  EXPECT_EQ(trouble([&] { open_bytes(inside); }), "cannot read " + inside + ": it is a folder");
}

TEST(ByteSource, WhatWasLookedAtIsHandedOutAgain) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{5}, std::size_t{200'000}}) {
    std::string bytes;
    while (bytes.size() < size) bytes += static_cast<char>('a' + bytes.size() % 23);
    std::unique_ptr<ByteSource> source = memory_bytes(bytes, "bytes", 1000);
    const std::string first = peek(source);
    EXPECT_EQ(first, bytes.substr(0, 65536));
    std::string all, piece(777, '\0');
    for (std::size_t got = 0; (got = source->read(piece)) > 0;) all += piece.substr(0, got);
    EXPECT_EQ(all, bytes);
  }
}

}  // namespace
}  // namespace postrider

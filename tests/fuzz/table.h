// What the targets of the two text formats share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

#include "data/table_reader.h"
#include "postrider/error.h"

namespace postrider::fuzz {
using namespace internal;

inline constexpr std::size_t kMostBytesPerRow = std::size_t{1} << 20;

inline TableOptions limited() {
  TableOptions out;
  out.sample_rows = 8;
  out.chunk_rows = 3;
  out.most_columns = 2000;
  out.most_bytes_per_row = kMostBytesPerRow;
  return out;
}

struct Outcome {
  std::string text;  // every cell, or the message of the error
  bool has_schema = false;
  Schema schema = {};
  std::uint64_t decoded = 0;  // bytes
};

// All cells as text: what differs in any of them differs here.
inline Outcome read_all(const std::string& bytes, const TableOptions& options, std::size_t piece,
                        const Schema* schema = nullptr) {
  Outcome out;
  try {
    TableReader reader = table_reader_of(memory_bytes(bytes, "f", piece), "f", options, schema);
    out.schema = reader.schema();
    out.has_schema = true;
    for (Table chunk; reader.next(chunk); out.decoded = reader.bytes_decoded())
      for (std::size_t c = 0; c < out.schema.columns.size(); ++c) {
        for (const double number : chunk.column(c).numbers)
          out.text += std::to_string(number) + ' ';
        for (const std::uint32_t code : chunk.column(c).codes)
          out.text += std::to_string(code) + ' ';
        out.text += '\n';
      }
  } catch (const Error& error) {
    out.text += error.what();
  }
  return out;
}

// Reads in one piece and in small ones, which must give the same, and again with the schema found.
inline void check_reading(const std::string& bytes, const TableOptions& options,
                          std::size_t piece) {
  const Outcome whole = read_all(bytes, options, SIZE_MAX);
  const Outcome pieces = read_all(bytes, options, piece);
  // A row that is too long, or damage to what is compressed, is noticed earlier or later.
  bool may_differ = bytes.size() + whole.decoded >= kMostBytesPerRow / 4;
  for (const char* const early : {"longer than", "its gzip data", "its zstd data"})
    may_differ = may_differ || whole.text.find(early) != std::string::npos ||
                 pieces.text.find(early) != std::string::npos;
  if (!may_differ && whole.text != pieces.text) {
    std::cerr << "in one piece:\n"
              << whole.text << "\nin pieces of " << piece << ":\n"
              << pieces.text;
    std::abort();
  }
  if (whole.has_schema) read_all(bytes, options, piece, &whole.schema);
}

}  // namespace postrider::fuzz

// What files of sparse models say in words: their options and numbers, and what is wrong with them.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "postrider/sparse/model.h"

namespace postrider::internal::hashed {

using Metadata = std::map<std::string, std::string>;

// The options, and who wrote the file.
Metadata notes_of(const std::string& format, const sparse::SparseOptions& options);

class FileNotes {
 public:
  // Throws CorruptFile if the file is not of this format. The metadata must outlive this.
  FileNotes(const std::string& path, const Metadata& metadata, const std::string& format);

  [[noreturn]] void fail(const std::string& what) const;
  const std::string& text(const std::string& key) const;
  std::uint64_t whole(const std::string& key) const;
  sparse::SparseOptions options() const;
  double finite(double value) const;

 private:
  std::string path_;
  const Metadata& metadata_;
};

// Whole numbers as the two halves that a file has of each.
std::vector<std::uint32_t> halves_of(std::span<const std::uint64_t> numbers);
std::uint64_t number_of(const std::uint32_t* halves);

}  // namespace postrider::internal::hashed

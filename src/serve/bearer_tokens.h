// Who may ask: whoever has one of the tokens of a file.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "postrider/file.h"

namespace postrider::cli {

// A token a line; empty lines and those that begin with # are passed over. For any number of threads.
class BearerTokens {
 public:
  // Throws FileError and CorruptFile; a path that is empty lets everybody in.
  explicit BearerTokens(const std::string& path);

  // By the line Authorization of a request. Takes the same time wherever a token differs.
  bool accept(std::string_view authorization) const;
  // Reads the file again if it was replaced; false if that fails, and the tokens stay. `why` says it.
  bool refresh(std::string& why);

 private:
  using List = std::vector<std::string>;

  std::string path_;
  std::optional<FileWriter::Version> file_;
  mutable std::mutex lock_;
  std::shared_ptr<const List> tokens_;  // none: everybody
};

}  // namespace postrider::cli

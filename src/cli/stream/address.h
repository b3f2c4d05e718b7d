// Addresses of streams: kafka://host:port/topic, redis://host:port/key or a file.
#pragma once

#include <string>
#include <vector>

namespace postrider::cli {

enum class StreamKind { file, kafka, redis };

struct StreamAddress {
  StreamKind kind = StreamKind::file;
  std::string text;                     // as the user wrote it
  std::string host;                     // of a broker; with a port where there is one
  std::vector<std::string> names = {};  // of topics or keys; of a file its path
};

// Throws InvalidArgument.
StreamAddress parse_address(const std::string& text);

}  // namespace postrider::cli

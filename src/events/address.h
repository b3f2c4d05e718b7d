// Addresses of streams: kafka://host:port/topic, redis://host:port/key or a file.
#pragma once

#include <string>
#include <vector>

namespace postrider::cli {

enum class StreamKind { file, kafka, redis };

struct StreamAddress {
  StreamKind kind = StreamKind::file;
  std::string text;                     // as the user wrote it
  std::string host;                     // of brokers; with ports where there are some, with commas
  std::vector<std::string> names = {};  // of topics or keys; of a file its path
  bool is_encrypted = false;            // Redis by TLS
  std::string user = {};                // of Redis; empty: the default one
  std::string master =
      {};  // whose address the hosts, which are Sentinels, know; empty: they are servers themselves
};

// Throws InvalidArgument.
StreamAddress parse_address(const std::string& text);

}  // namespace postrider::cli

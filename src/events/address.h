// Addresses of streams: kafka://host:port/topic, redis://host:port/key or a file.
#pragma once

#include <string>
#include <vector>

#include "postrider/table_model.h"

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

// --- The streams that a model has followed, and how one of them is known again.

// Each source once, with where the model stands in it; the one that was followed last comes first.
std::vector<TableModel::StreamPosition> known_sources(const TableModel& model);

// The name by which a model keeps a source: its address as the user wrote it first, and what tells it from others
// whatever address it has later, such as the id of Kafka's cluster. Models of earlier versions have the address alone.
std::string source_name(const std::string& address, const std::string& id);
std::string address_of_source(const std::string& name);
std::string id_of_source(const std::string& name);  // empty if there is none

// The source of this id, or of this address where an id is not known, that was followed last; null if there is none.
const TableModel::StreamPosition* find_source(const std::vector<TableModel::StreamPosition>& known,
                                              const std::string& address, const std::string& id);

// If the model has followed the same topics or keys of another source, and knows nothing of this one: what that means; else empty.
std::string other_source(const std::vector<TableModel::StreamPosition>& known,
                         const StreamAddress& address);

}  // namespace postrider::cli

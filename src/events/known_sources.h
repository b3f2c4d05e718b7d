// The streams that a model has followed, and how one of them is known again.
#pragma once

#include <string>
#include <vector>

#include "events/address.h"
#include "postrider/table_model.h"

namespace postrider::cli {

// Each source once, with where the model stands in it; the one that was followed last comes first.
std::vector<StreamPosition> known_sources(const TableModel& model);

// The name by which a model keeps a source: its address as the user wrote it first, and what tells it from others
// whatever address it has later, such as the id of Kafka's cluster. Models of earlier versions have the address alone.
std::string source_name(const std::string& address, const std::string& id);
std::string address_of_source(const std::string& name);
std::string id_of_source(const std::string& name);  // empty if there is none

// The source of this id, or of this address where an id is not known, that was followed last; null if there is none.
const StreamPosition* find_source(const std::vector<StreamPosition>& known,
                                  const std::string& address, const std::string& id);

// If the model has followed the same topics or keys of another source, and knows nothing of this one: what that means; else empty.
std::string other_source(const std::vector<StreamPosition>& known, const StreamAddress& address);

}  // namespace postrider::cli

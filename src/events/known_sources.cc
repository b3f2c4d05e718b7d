#include "events/known_sources.h"

#include <algorithm>

#include "postrider/error.h"

namespace postrider::cli {
namespace {

constexpr std::string_view kBeforeId = " id ";

}  // namespace

std::vector<StreamPosition> known_sources(const TableModel& model) {
  std::vector<StreamPosition> out;
  const std::vector<TrainingStep>& history = model.history();
  for (auto step = history.rbegin(); step != history.rend(); ++step) {
    if (step->kind != TrainingKind::follow) continue;
    const auto is_same = [&](const StreamPosition& other) {
      return other.source == step->position.source;
    };
    if (std::none_of(out.begin(), out.end(), is_same)) out.push_back(step->position);
  }
  return out;
}

std::string source_name(const std::string& address, const std::string& id) {
  return id.empty() ? address : address + std::string(kBeforeId) + id;
}
std::string address_of_source(const std::string& name) {
  return name.substr(0, name.rfind(kBeforeId));
}
std::string id_of_source(const std::string& name) {
  const std::size_t at = name.rfind(kBeforeId);
  return at == std::string::npos ? "" : name.substr(at + kBeforeId.size());
}

const StreamPosition* find_source(const std::vector<StreamPosition>& known,
                                  const std::string& address, const std::string& id) {
  for (const StreamPosition& each : known) {
    const std::string known_id = id_of_source(each.source);
    const bool is_same_address = address_of_source(each.source) == address;
    // Earlier versions, above all those of Python, know the address alone: what they wrote last counts.
    if (known_id.empty() || id.empty() ? is_same_address : known_id == id) return &each;
  }
  return nullptr;
}

std::string other_source(const std::vector<StreamPosition>& known, const StreamAddress& address) {
  for (const StreamPosition& each : known) {
    StreamAddress other;
    try {
      other = parse_address(address_of_source(each.source));
    } catch (const InvalidArgument&) {
      continue;  // of another version
    }
    if (other.kind == address.kind && other.names == address.names)
      return "the model has followed " + other.text + " and not " + address.text +
             ": this is another source, whose events are learned from the first one on";
  }
  return {};
}

}  // namespace postrider::cli

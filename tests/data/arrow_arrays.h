// Arrow arrays and streams made by hand, which count what is released.
#pragma once

#include <cstdint>
#include <cstring>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "postrider/arrow.h"

namespace postrider {

// A column of one batch: its format, buffers as bytes, and a dictionary. A test may spoil any of it.
struct MadeColumn {
  std::string name, format;
  std::int64_t length = 0, null_count = 0, offset = 0;
  std::vector<std::string> buffers = {};
  std::vector<bool> absent = {};  // buffers that are null pointers
  std::shared_ptr<MadeColumn> dictionary = {};
};

template <class T>
std::string bytes_of_values(const std::vector<T>& values) {
  std::string out(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(out.data(), values.data(), out.size());
  return out;
}

inline std::string bits_of(const std::vector<bool>& values) {
  std::string out((values.size() + 7) / 8, '\0');
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i]) out[i / 8] = static_cast<char>(out[i / 8] | 1 << i % 8);
  return out;
}

// `valid`: empty if all are.
template <class T>
MadeColumn made_numbers(const std::string& name, const std::string& format,
                        const std::vector<T>& values, const std::vector<bool>& valid = {}) {
  MadeColumn out{name, format, static_cast<std::int64_t>(values.size())};
  for (const bool is_valid : valid) out.null_count += is_valid ? 0 : 1;
  out.buffers = {bits_of(valid), bytes_of_values(values)};
  out.absent = {valid.empty(), false};
  return out;
}

inline MadeColumn made_booleans(const std::string& name, const std::vector<bool>& values) {
  MadeColumn out{name, "b", static_cast<std::int64_t>(values.size())};
  out.buffers = {"", bits_of(values)};
  out.absent = {true, false};
  return out;
}

template <class Offset = std::int32_t>
MadeColumn made_texts(const std::string& name, const std::vector<std::string>& texts,
                      const std::vector<bool>& valid = {}) {
  MadeColumn out = made_numbers<Offset>(name, sizeof(Offset) == 4 ? "u" : "U", {}, valid);
  std::vector<Offset> offsets{0};
  std::string all;
  for (const std::string& text : texts) {
    all += text;
    offsets.push_back(static_cast<Offset>(all.size()));
  }
  out.length = static_cast<std::int64_t>(texts.size());
  out.buffers[1] = bytes_of_values(offsets);
  out.buffers.push_back(all);
  out.absent.push_back(false);
  return out;
}

// Short texts stand in the view, long ones in a buffer of their own.
inline MadeColumn made_views(const std::string& name, const std::vector<std::string>& texts) {
  MadeColumn out{name, "vu", static_cast<std::int64_t>(texts.size())};
  std::string views;
  std::vector<std::string> buffers;
  std::vector<std::int64_t> sizes;
  for (const std::string& text : texts) {
    std::string view(16, '\0');
    const auto size = static_cast<std::int32_t>(text.size());
    std::memcpy(view.data(), &size, 4);
    if (size <= 12) {
      std::memcpy(view.data() + 4, text.data(), text.size());
    } else {
      const auto buffer = static_cast<std::int32_t>(buffers.size());
      const std::int32_t begin = 1;
      std::memcpy(view.data() + 4, text.data(), 4);
      std::memcpy(view.data() + 8, &buffer, 4);
      std::memcpy(view.data() + 12, &begin, 4);
      buffers.push_back("-" + text);
      sizes.push_back(size + 1);
    }
    views += view;
  }
  out.buffers = {"", views};
  out.absent = {true, false};
  for (const std::string& buffer : buffers) {
    out.buffers.push_back(buffer);
    out.absent.push_back(false);
  }
  out.buffers.push_back(bytes_of_values(sizes));
  out.absent.push_back(false);
  return out;
}

template <class Index>
MadeColumn made_dictionary(const std::string& name, const std::string& format,
                           const std::vector<Index>& indices, MadeColumn values,
                           const std::vector<bool>& valid = {}) {
  MadeColumn out = made_numbers(name, format, indices, valid);
  out.dictionary = std::make_shared<MadeColumn>(std::move(values));
  return out;
}

struct MadeBatch {
  std::vector<MadeColumn> columns;
  std::int64_t offset = 0, length = -1;  // -1: that of the first column
  std::int64_t children = -1;            // -1: as many as there are
};

// What the interface's structs point to. Everything lives until the last of them is released.
class MadeStream {
 public:
  explicit MadeStream(std::vector<MadeBatch> batches, int fails_at = -1)
      : state_(std::make_shared<State>()) {
    state_->batches = std::move(batches);
    state_->fails_at = fails_at;
  }

  ArrowArrayStream stream() {
    ArrowArrayStream out{};
    out.get_schema = get_schema;
    out.get_next = get_next;
    out.get_last_error = [](ArrowArrayStream*) -> const char* { return "the disk is on fire"; };
    out.release = [](ArrowArrayStream* self) {
      delete static_cast<Shared*>(self->private_data);
      self->release = nullptr;
    };
    out.private_data = new Shared(state_);
    return out;
  }
  // Structs that are out there: 0 when all were released.
  long held() const { return state_.use_count() - 1; }

 private:
  struct State {
    std::vector<MadeBatch> batches;
    std::size_t next = 0;
    int fails_at = -1;
  };
  using Shared = std::shared_ptr<State>;

  template <class Struct>
  struct Node {
    Shared state;
    std::list<Node> inner = {};  // which stay where they are
    std::vector<Struct*> children = {};
    std::vector<std::string> memory = {};
    std::vector<const void*> buffers = {};
    Struct made{};
  };
  template <class Struct>
  static void release(Struct* self) {
    delete static_cast<Node<Struct>*>(self->private_data);
    self->release = nullptr;
  }
  template <class Struct>
  static void no_release(Struct* self) {
    self->release = nullptr;
  }

  static ArrowSchema* fill(Node<ArrowSchema>& node, const MadeColumn& column) {
    node.memory = {column.format, column.name};
    node.made.format = node.memory[0].c_str();
    node.made.name = node.memory[1].c_str();
    node.made.flags = ARROW_FLAG_NULLABLE;
    node.made.release = no_release<ArrowSchema>;
    if (column.dictionary)
      node.made.dictionary = fill(node.inner.emplace_back(), *column.dictionary);
    return &node.made;
  }
  static ArrowArray* fill(Node<ArrowArray>& node, const MadeColumn& column) {
    node.made.length = column.length;
    node.made.null_count = column.null_count;
    node.made.offset = column.offset;
    node.memory = column.buffers;
    for (std::size_t b = 0; b < node.memory.size(); ++b)
      node.buffers.push_back(column.absent[b] ? nullptr : node.memory[b].data());
    node.made.n_buffers = static_cast<std::int64_t>(node.buffers.size());
    node.made.buffers = node.buffers.data();
    node.made.release = no_release<ArrowArray>;
    if (column.dictionary)
      node.made.dictionary = fill(node.inner.emplace_back(), *column.dictionary);
    return &node.made;
  }
  template <class Struct>
  static Node<Struct>* root(const Shared& state, const MadeBatch& batch) {
    auto* const out = new Node<Struct>{state};
    for (const MadeColumn& column : batch.columns)
      out->children.push_back(fill(out->inner.emplace_back(), column));
    out->made.n_children = static_cast<std::int64_t>(out->children.size());
    out->made.children = out->children.data();
    out->made.release = release<Struct>;
    out->made.private_data = out;
    return out;
  }

  static int get_schema(ArrowArrayStream* self, ArrowSchema* out) {
    const Shared& state = *static_cast<Shared*>(self->private_data);
    auto* const node = root<ArrowSchema>(state, state->batches.front());
    node->made.format = "+s";
    *out = node->made;
    return 0;
  }
  static int get_next(ArrowArrayStream* self, ArrowArray* out) {
    const Shared& state = *static_cast<Shared*>(self->private_data);
    if (static_cast<int>(state->next) == state->fails_at) return 5;
    *out = {};
    if (state->next == state->batches.size()) return 0;
    const MadeBatch& batch = state->batches[state->next++];
    auto* const node = root<ArrowArray>(state, batch);
    node->buffers = {nullptr};
    node->made.n_buffers = 1;
    node->made.buffers = node->buffers.data();
    node->made.offset = batch.offset;
    node->made.length = batch.length >= 0       ? batch.length
                        : batch.columns.empty() ? 0
                                                : batch.columns.front().length;
    if (batch.children >= 0) node->made.n_children = batch.children;
    *out = node->made;
    return 0;
  }

  Shared state_;
};

}  // namespace postrider

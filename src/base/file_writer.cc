#include <optional>

#include "base/file_buffer.h"
#include "base/file_place.h"
#include "postrider/file.h"

namespace postrider {
using namespace internal;

struct FileWriter::State {
  explicit State(const std::string& path)
      : place(path), buffer(place.file(), [this](int code) { place.fail(code); }), stream(&buffer) {
    stream.exceptions(std::ios::badbit);  // a failed write throws at once
  }

  FilePlace place;
  std::optional<FileWriter::Version> replaced;
  FileBuffer buffer;
  std::ostream stream;
};

FileWriter::FileWriter(const std::string& path) : state_(std::make_unique<State>(path)) {}

FileWriter::FileWriter(const FileWriter::Version& replaced)
    : state_(std::make_unique<State>(replaced.path())) {
  state_->replaced = replaced;
}

FileWriter::~FileWriter() = default;

std::ostream& FileWriter::stream() { return state_->stream; }

void FileWriter::finish() {
  state_->stream.flush();
  state_->place.take_name(state_->replaced ? &*state_->replaced : nullptr);
}

void write_file(const std::string& path, std::string_view bytes) {
  FileWriter writer(path);
  writer.stream() << bytes;
  writer.finish();
}

}  // namespace postrider

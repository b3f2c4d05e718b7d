#include "arrow_files/arrow_files.h"

#include <arrow/buffer.h>
#include <arrow/c/bridge.h>
#include <arrow/io/file.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/reader.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <parquet/arrow/reader.h>
#include <parquet/exception.h>

#include <exception>
#include <memory>
#include <string>
#include <utility>

namespace postrider {
using namespace internal;
namespace {

using Batches = std::shared_ptr<arrow::RecordBatchReader>;
using File = std::shared_ptr<arrow::io::RandomAccessFile>;

// The batches of an IPC file, one after the other.
class FileBatches : public arrow::RecordBatchReader {
 public:
  explicit FileBatches(std::shared_ptr<arrow::ipc::RecordBatchFileReader> file)
      : file_(std::move(file)) {}

  std::shared_ptr<arrow::Schema> schema() const override { return file_->schema(); }
  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* out) override {
    *out = nullptr;
    if (next_ == file_->num_record_batches()) return arrow::Status::OK();
    return file_->ReadRecordBatch(next_++).Value(out);
  }

 private:
  std::shared_ptr<arrow::ipc::RecordBatchFileReader> file_;
  int next_ = 0;
};

// The memory of a body's buffers. A body of a few bytes may say that its buffers are large once they are decompressed; files may be so, since
// whoever runs the program chose them.
struct BodyMemory {
  static constexpr std::int64_t kTimes = 4, kFree = 16 << 20;
  explicit BodyMemory(std::size_t body_bytes)
      : bounded(&counted, kTimes * static_cast<std::int64_t>(body_bytes) + kFree) {}

  // The bound looks at what is counted, which is this body's alone.
  arrow::ProxyMemoryPool counted{arrow::default_memory_pool()};
  arrow::CappedMemoryPool bounded;
};

// What reads a file, and what it needs while it does. Arrow trusts what a file says of its own buffers, such as where a text ends, and leaves
// it to its callers to ask: nothing is passed on that was not looked at in full. Whatever goes wrong is a status, since C functions call this.
class CheckedBatches : public arrow::RecordBatchReader {
 public:
  CheckedBatches(std::unique_ptr<BodyMemory> memory,
                 std::unique_ptr<parquet::arrow::FileReader> file, Batches batches)
      : memory_(std::move(memory)), file_(std::move(file)), batches_(std::move(batches)) {}

  std::shared_ptr<arrow::Schema> schema() const override { return batches_->schema(); }
  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* out) override {
    *out = nullptr;
    std::shared_ptr<arrow::RecordBatch> batch;
    try {
      ARROW_RETURN_NOT_OK(batches_->ReadNext(&batch));
      if (batch != nullptr) ARROW_RETURN_NOT_OK(batch->ValidateFull());
    } catch (const std::exception& error) {
      return arrow::Status::Invalid(error.what());
    }
    *out = std::move(batch);
    return arrow::Status::OK();
  }

 private:
  std::unique_ptr<BodyMemory> memory_;  // outlives what follows
  std::unique_ptr<parquet::arrow::FileReader> file_;
  Batches batches_;
};

arrow::Result<File> opened(const char* path, const void* bytes, std::size_t size) {
  if (bytes == nullptr) return arrow::io::ReadableFile::Open(path);
  return std::make_shared<arrow::io::BufferReader>(std::make_shared<arrow::Buffer>(
      static_cast<const std::uint8_t*>(bytes), static_cast<std::int64_t>(size)));
}

arrow::Result<Batches> checked_batches(const File& file, std::unique_ptr<BodyMemory> memory) {
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Buffer> first, file->ReadAt(0, 6));
  const std::string magic = first->ToString();
  std::unique_ptr<parquet::arrow::FileReader> parquet;
  Batches batches;
  arrow::MemoryPool* const pool = memory ? &memory->bounded : arrow::default_memory_pool();
  auto options = arrow::ipc::IpcReadOptions::Defaults();
  options.memory_pool = pool;
  if (magic.starts_with("PAR1")) {
    ARROW_ASSIGN_OR_RAISE(parquet, parquet::arrow::OpenFile(file, pool));
    ARROW_ASSIGN_OR_RAISE(batches, parquet->GetRecordBatchReader());
  } else if (magic == "ARROW1") {
    ARROW_ASSIGN_OR_RAISE(auto reader, arrow::ipc::RecordBatchFileReader::Open(file, options));
    batches = std::make_shared<FileBatches>(std::move(reader));
  } else {
    ARROW_RETURN_NOT_OK(file->Seek(0));
    ARROW_ASSIGN_OR_RAISE(batches, arrow::ipc::RecordBatchStreamReader::Open(file, options));
  }
  return std::make_shared<CheckedBatches>(std::move(memory), std::move(parquet),
                                          std::move(batches));
}

arrow::Status open(const char* path, const void* bytes, std::size_t size, ArrowArrayStream* out) {
  ARROW_ASSIGN_OR_RAISE(const File file, opened(path, bytes, size));
  auto memory = bytes == nullptr ? nullptr : std::make_unique<BodyMemory>(size);
  ARROW_ASSIGN_OR_RAISE(Batches batches, checked_batches(file, std::move(memory)));
  return arrow::ExportRecordBatchReader(std::move(batches), out);
}

}  // namespace
}  // namespace postrider

extern "C" __attribute__((visibility("default"))) const char* postrider_open_arrow(
    const char* path, const void* bytes, std::size_t size, ArrowArrayStream* out) {
  thread_local std::string trouble;
  try {
    const arrow::Status status = postrider::open(path, bytes, size, out);
    if (status.ok()) return nullptr;
    trouble = status.message();
    trouble.erase(trouble.find_last_not_of(" \n") + 1);
  } catch (const std::exception& error) {  // such as those of Parquet; none may pass a C function
    trouble = error.what();
  }
  return trouble.c_str();
}

#include "arrow_files/arrow_files.h"

#include <arrow/buffer.h>
#include <arrow/c/bridge.h>
#include <arrow/io/file.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/reader.h>
#include <arrow/record_batch.h>
#include <parquet/arrow/reader.h>
#include <parquet/exception.h>

#include <exception>
#include <memory>
#include <string>
#include <utility>

namespace postrider {
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

// Those of a Parquet file, which must outlive its reader of batches.
class ParquetBatches : public arrow::RecordBatchReader {
 public:
  ParquetBatches(std::unique_ptr<parquet::arrow::FileReader> file,
                 std::unique_ptr<arrow::RecordBatchReader> batches)
      : file_(std::move(file)), batches_(std::move(batches)) {}

  std::shared_ptr<arrow::Schema> schema() const override { return batches_->schema(); }
  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* out) override {
    return batches_->ReadNext(out);
  }

 private:
  std::unique_ptr<parquet::arrow::FileReader> file_;
  std::unique_ptr<arrow::RecordBatchReader> batches_;
};

arrow::Result<File> opened(const char* path, const void* bytes, std::size_t size) {
  if (bytes == nullptr) return arrow::io::ReadableFile::Open(path);
  return std::make_shared<arrow::io::BufferReader>(std::make_shared<arrow::Buffer>(
      static_cast<const std::uint8_t*>(bytes), static_cast<std::int64_t>(size)));
}

arrow::Result<Batches> batches_of(const File& file) {
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Buffer> first, file->ReadAt(0, 6));
  const std::string magic = first->ToString();
  if (magic.starts_with("PAR1")) {
    ARROW_ASSIGN_OR_RAISE(auto reader,
                          parquet::arrow::OpenFile(file, arrow::default_memory_pool()));
    ARROW_ASSIGN_OR_RAISE(auto batches, reader->GetRecordBatchReader());
    return std::make_shared<ParquetBatches>(std::move(reader), std::move(batches));
  }
  if (magic == "ARROW1") {
    ARROW_ASSIGN_OR_RAISE(auto reader, arrow::ipc::RecordBatchFileReader::Open(file));
    return std::make_shared<FileBatches>(std::move(reader));
  }
  ARROW_RETURN_NOT_OK(file->Seek(0));
  ARROW_ASSIGN_OR_RAISE(auto stream, arrow::ipc::RecordBatchStreamReader::Open(file));
  return Batches(std::move(stream));
}

arrow::Status open(const char* path, const void* bytes, std::size_t size, ArrowArrayStream* out) {
  ARROW_ASSIGN_OR_RAISE(const File file, opened(path, bytes, size));
  ARROW_ASSIGN_OR_RAISE(Batches batches, batches_of(file));
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

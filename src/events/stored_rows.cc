// Tables that are no lines of text: compressed ones, Parquet, Arrow. They are read from the front each time.
#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include "events/event_source.h"
#include "events/row_stream.h"
#include "io/open_table.h"

namespace postrider::cli {
namespace {

constexpr std::size_t kKnownBytes = 1024;  // by which a file is known

class StoredRows : public RowStream {
 public:
  StoredRows(const StreamAddress& address, TableReader reader, bool has_keys,
             const TableModel::StreamPosition& from, const Tell& tell)
      : address_(address), reader_(std::move(reader)), has_keys_(has_keys) {
    const OpenFile file(address.names.front());
    mark_.file = file_number(file.descriptor());
    mark_.beginning = digest_of(bytes_at(file.descriptor(), 0, kKnownBytes));
    const std::size_t learned = number_at(from, kStored).value_or(0);
    const std::optional<FileMark> known = FileMark::of(from);
    if (!known || known->beginning == mark_.beginning)
      skip(learned);
    else
      tell(address.text + " is another file than the one of which the model has learned " +
           std::to_string(learned) + " rows: it is read from its beginning");
  }

  RowBatch next(std::size_t /*most*/) override {
    RowBatch out;
    out.table = std::exchange(left_, {});
    has_ended_ = out.table.rows() == 0 && !reader_.next(out.table);
    out.is_end = has_ended_;
    refuse(out);
    for (std::size_t row = 0; row < out.table.rows(); ++row)
      out.places.push_back(kStored + (" " + std::to_string(rows_ + row + 1)));
    out.texts.resize(out.table.rows());
    if (has_keys_) put_keys(out);
    rows_ += out.table.rows();
    out.after = {address_.text, {{kStored, std::to_string(rows_)}}};
    mark_.put(out.after);
    return out;
  }
  bool has_ended() const override { return has_ended_; }

 private:
  static constexpr const char* kStored = "rows";

  // Rows that cannot be read have no number.
  void refuse(RowBatch& batch) {
    const TableReader::Skipped& skipped = reader_.skipped();
    for (; skipped_ < skipped.count; ++skipped_)
      batch.refusals.push_back(
          {kStored,
           skipped_ < skipped.reasons.size() ? skipped.reasons[skipped_] : "it cannot be read",
           ""});
  }

  // Rows that were learned before; the rest of their last chunk comes next.
  void skip(std::size_t learned) {
    Table chunk;
    while (rows_ < learned && reader_.next(chunk)) rows_ += chunk.rows();
    expect_learned(address_.text, kStored, rows_, learned);
    skipped_ = reader_.skipped().count;
    if (rows_ <= learned) return;
    std::vector<std::size_t> rest(rows_ - learned);
    std::iota(rest.begin(), rest.end(), chunk.rows() - rest.size());
    left_ = chunk.selected(rest);
    rows_ = learned;
  }

  StreamAddress address_;
  TableReader reader_;
  bool has_keys_;
  FileMark mark_;
  Table left_;
  std::size_t rows_ = 0;
  std::size_t skipped_ = 0;
  bool has_ended_ = false;
};

}  // namespace

bool is_stored_table(const std::string& path) {
  if (path == "-") return false;
  const OpenFile file(path);
  if (!file) return false;
  const std::string first = bytes_at(file.descriptor(), 0, 8);
  for (const std::string_view magic :
       {std::string_view("\x1f\x8b"), std::string_view("\x28\xb5\x2f\xfd"),
        std::string_view("PAR1"), std::string_view("ARROW1"),
        std::string_view("\xff\xff\xff\xff")})  // the last: a stream of Arrow
    if (first.starts_with(magic)) return true;
  return false;
}

std::unique_ptr<RowStream> open_stored_rows(const StreamAddress& address, const DataRequest& data,
                                            const Schema& schema,
                                            const TableModel::StreamPosition& from,
                                            std::size_t most, const StreamOpening& how) {
  TableOptions options = data.options();
  options.skip_bad = true;  // as of events: one row must not end a stream
  options.chunk_rows = std::min(options.chunk_rows, most);
  try {
    return std::make_unique<StoredRows>(address, open_table(address.names.front(), schema, options),
                                        !data.keys.empty(), from, how.tell);
  } catch (const InvalidArgument& error) {
    expect_no_fault_of_key(error);
    throw;
  }
}

}  // namespace postrider::cli

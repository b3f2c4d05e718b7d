// postrider_train(): columns of C become a table, options of text those of a model.
#include <atomic>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <thread>

#include "capi/c_guard.h"
#include "capi/c_model.h"
#include "capi/column_stream.h"
#include "estimator/option_table.h"
#include "postrider/table_model.h"

namespace postrider {
using namespace internal;
namespace {

TableOptions reading_of(std::span<const postrider_column> columns, const char* target) {
  TableOptions out{.target = expect(target, "target")};
  for (const postrider_column& column : columns) {
    const std::string name = expect(column.name, "name of a column");
    const bool is_target = name == out.target;
    switch (column.kind) {
      case POSTRIDER_INFERRED:
        break;
      case POSTRIDER_NUMERIC:
        if (is_target)
          out.regress = true;
        else
          out.numeric.push_back(name);
        break;
      case POSTRIDER_CATEGORICAL:
        if (is_target)
          out.classify = true;
        else
          out.categorical.push_back(name);
        break;
      case POSTRIDER_IGNORED:
        out.ignored.push_back(name);
        break;
      case POSTRIDER_WEIGHTS:
        if (!out.weights.empty())
          reject("weights", name, "must be one column; \"" + out.weights + "\" is another");
        out.weights = name;
        break;
      default:
        reject("kind of the column \"" + name + "\"", column.kind, "must be one of postrider_kind");
    }
  }
  return out;
}

TableModelOptions training_of(std::span<const postrider_option> options) {
  TableModelOptions out;
  for (const postrider_option& option : options) {
    const std::string_view name = expect(option.name, "name of an option");
    get_option(out.estimator, name);  // throws if there is none, and says which there are
    for (const OptionInfo& info : estimator_options())
      if (info.name == name)
        set_option(out.estimator, name,
                   parsed_option(info, expect(option.value, "value of an option")));
  }
  return out;
}

// Whoever calls from C can answer in the thread that called, and in no other: R and PostgreSQL must not be asked elsewhere.
class StopWatch {
 public:
  StopWatch(postrider_stop stop, void* context) : stop_(stop), context_(context) {}

  bool asked() {
    if (!has_stopped_ && stop_ != nullptr && std::this_thread::get_id() == caller_ &&
        stop_(context_) != 0)
      has_stopped_ = true;
    return has_stopped_;
  }
  bool has_stopped() const { return has_stopped_; }

 private:
  const postrider_stop stop_;
  void* const context_;
  const std::thread::id caller_ = std::this_thread::get_id();
  std::atomic<bool> has_stopped_ = false;
};

// The reader speaks of the stream that it reads, of which whoever calls knows nothing.
std::string about_rows(std::string_view message) {
  constexpr std::string_view kStream = "the Arrow stream: ";
  if (!message.starts_with(kStream)) return std::string(message);
  return "the rows given, " + std::string(message.substr(kStream.size()));
}

TableModel trained(std::span<const postrider_column> columns, std::size_t rows, const char* target,
                   std::span<const postrider_option> options, StopWatch& watch) try {
  const TableModelOptions how = training_of(options);
  ColumnStream stream(columns, rows);
  TableReader reader = read_arrow(stream.stream(), reading_of(columns, target));
  TrainingCallbacks callbacks;
  callbacks.interrupted = [&watch] { return watch.asked(); };
  callbacks.ends_choosing = callbacks.ends_first_epoch = callbacks.interrupted;
  TableModel out = TableModel::train(reader, how, callbacks);
  if (watch.has_stopped()) throw Interrupted("training was interrupted: nothing was learned");
  return out;
} catch (const CorruptFile& wrong) {
  throw CorruptFile(about_rows(wrong.what()));
}

}  // namespace
}  // namespace postrider

extern "C" postrider_model* postrider_train(const postrider_column* columns, size_t count,
                                            size_t rows, const char* target,
                                            const postrider_option* options, size_t option_count,
                                            postrider_stop stop, void* context,
                                            postrider_error* error) {
  using namespace postrider;
  postrider_model* out = nullptr;
  guarded(error, [&] {
    StopWatch watch(stop, context);
    if (option_count > 0) expect(options, "options");
    out = new_c_model(LiveModel(trained({expect(columns, "columns"), count}, rows, target,
                                        {options, option_count}, watch)));
  });
  return out;
}

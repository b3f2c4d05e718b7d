#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "bench/attack/content.h"
#include "bench/attack/mutations.h"
#include "files.h"
#include "postrider/error.h"
#include "sealed.h"
#include "table/people.h"

namespace postrider::attack {
using namespace internal;
namespace {

// A file in memory: one on a disk would be waited for.
class MemoryFile {
 public:
  explicit MemoryFile(const std::string& bytes) : file_(memfd_create("model", 0)) {
    if (write(file_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
      throw Error("no memory for a file");
  }
  ~MemoryFile() { close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

std::vector<double> predictions(const TableModel& model, const std::string& rows) {
  const TableModel::Prediction found = model.predict(people_table(rows, model.schema()));
  if (model.classifies()) return found.probabilities;
  std::vector<double> out = found.mean;
  for (const std::vector<double>& more :
       {found.std, found.quantiles(std::vector<double>{0.05, 0.95})})
    out.insert(out.end(), more.begin(), more.end());
  return out;
}

bool are_finite(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

struct Victim {
  std::string bytes, rows;
  std::vector<double> expected;
};

Victim victim_of(const TableOptions& options, const std::string& text) {
  TableModelOptions small = small_model(6, 4);
  TableReader reader = people_reader(text, options);
  const TableModel model = TableModel::train(reader, small);
  std::ostringstream bytes;
  model.save(bytes);
  const std::string rows = people(12, 9);
  // The file's, not the trained model's: reading it is what is attacked.
  return {bytes.str(), rows, predictions(TableModel::load(MemoryFile(bytes.str()).path()), rows)};
}

// As a user would go on with the file.
Outcome outcome_of(const std::string& bytes, const Victim& victim, bool is_sealed) {
  try {
    const MemoryFile file(bytes);
    TableModel model = TableModel::load(file.path());
    const std::vector<double> found = predictions(model, victim.rows);
    if (!are_finite(found)) return Outcome::not_finite;
    const bool is_same = found == victim.expected;
    model.update(people_table(people(5, 11), model.schema()));
    if (!are_finite(predictions(model, victim.rows))) return Outcome::not_finite;
    if (is_same) return Outcome::same;
    return is_sealed ? Outcome::other_model : Outcome::silently_different;
  } catch (const Error&) {
    return Outcome::refused;
  }
}

}  // namespace

std::vector<Attack> attack_models(std::size_t tries) {
  const std::vector<Victim> victims{
      victim_of(income_options(), people(120, 1)), victim_of(rich_options(), people(120, 2)),
      victim_of({.target = "town", .ignored = {"rich", "name"}}, people(120, 3))};
  // Else all would be refused, and nothing shown.
  for (const Victim& victim : victims)
    if (outcome_of(victim.bytes, victim, false) != Outcome::same)
      throw Error("the model file is refused before it is changed");
  const auto attack = [&](const char* name, const char* what, std::uint64_t stream, bool is_sealed,
                          auto&& change) {
    // There are many values to change, and as many ways.
    const std::size_t count = is_sealed ? 4 * tries : tries;
    return Attack{name, what, isolated(count, [&](std::size_t one) {
                    RandomStream random(stream, one);
                    const Victim& victim = victims[one % victims.size()];
                    return outcome_of(change(victim.bytes, random), victim, is_sealed);
                  })};
  };
  return {
      attack(
          "truncation", "a model file cut off anywhere", 1, false,
          [](const std::string& bytes, RandomStream& random) { return truncated(bytes, random); }),
      attack("bytes", "one to four places of a model file: bytes replaced, put in, taken out", 2,
             false,
             [](const std::string& bytes, RandomStream& random) { return damaged(bytes, random); }),
      attack("bits in arrays", "one bit of the arrays of a model file", 3, false,
             [](const std::string& bytes, RandomStream& random) {
               return with_changed_bit(bytes, header_end(bytes), bytes.size(), random);
             }),
      attack("header", "one bit of the header of a model file, or of its length", 4, false,
             [](const std::string& bytes, RandomStream& random) {
               return with_changed_bit(bytes, 0, header_end(bytes), random);
             }),
      attack("structured mutation",
             "values of a model file changed and its checksums made to fit; an accepted file is "
             "another model, whose predictions must be finite",
             5, true, [](const std::string& bytes, RandomStream& random) {
               return with_changed_values(bytes, random);
             })};
}

}  // namespace postrider::attack

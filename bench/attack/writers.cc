#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>

#include "bench/attack/content.h"
#include "bench/attack/mutations.h"
#include "files.h"
#include "postrider/error.h"
#include "postrider/file.h"
#include "postrider/regressor.h"

namespace postrider::attack {
using namespace internal;
namespace {

// Two models that differ in every belief, larger than a writer's buffer.
Regressor trained(std::uint64_t seed) {
  EstimatorOptions options{.hidden = {60, 60}, .weights_per_example = 0, .ensemble_size = 1};
  options.training.max_epochs = 1;
  options.training.seed = seed;
  Regressor out(options);
  std::vector<double> x, y;
  RandomStream random(seed, 0);
  for (int row = 0; row < 60; ++row) {
    x.push_back(random.normal());
    y.push_back(std::sin(x.back()) + 0.1 * random.normal());
  }
  out.fit(x, y);
  return out;
}

struct Pair {
  Regressor first = trained(1), second = trained(2);
  TemporaryFolder folder;
  const std::string path = folder.file("model");
  std::string bytes_first, bytes_second;

  Pair() {
    first.save(path);
    bytes_first = bytes_of(path);
    second.save(path);
    bytes_second = bytes_of(path);
  }
  // Whether the file is one of the two, and not a mixture.
  bool is_whole() const {
    const std::string found = bytes_of(path);
    return found == bytes_first || found == bytes_second;
  }
};

template <class Work>
pid_t start(Work&& work) {
  const pid_t child = fork();
  if (child != 0) return child;
  int code = 0;
  try {
    work();
  } catch (const Error&) {
    code = 3;
  } catch (...) {
    code = 4;
  }
  _exit(code);
}

int ended(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

// Half of the tries save under one name, half update one file in place; of these one must be refused
// unless it came after the other, and the winner's bytes must be there.
Outcome two_writers(Pair& pair, std::size_t one) {
  const bool in_place = one % 2 == 1;
  const auto save = [&](const Regressor& model) {
    if (!in_place) return model.save(pair.path);
    const FileWriter::Version version(pair.path);
    static_cast<void>(Regressor::load(pair.path));
    FileWriter writer(version);
    model.save(writer.stream());
    writer.finish();
  };
  const pid_t first = start([&] { save(pair.first); });
  const pid_t second = start([&] { save(pair.second); });
  const int codes[2]{ended(first), ended(second)};
  for (const int code : codes)
    if (code < 0 || code > 3) return Outcome::aborted;
  if (!pair.is_whole()) return Outcome::silently_different;
  if (codes[0] == 0 && codes[1] == 0) return Outcome::same;
  // One was refused: the file is the other's.
  const std::string& expected = codes[0] == 0 ? pair.bytes_first : pair.bytes_second;
  if (codes[0] != 0 && codes[1] != 0) return Outcome::silently_different;
  return bytes_of(pair.path) == expected ? Outcome::refused : Outcome::silently_different;
}

Outcome killed(Pair& pair, std::size_t one) {
  RandomStream random(7, one);
  const pid_t child = start([&] {
    for (;;) {
      pair.first.save(pair.path);
      pair.second.save(pair.path);
    }
  });
  usleep(static_cast<useconds_t>(random.below(20000)));
  kill(child, SIGKILL);
  ended(child);
  return pair.is_whole() ? Outcome::same : Outcome::silently_different;
}

// A write with so little space must fail, and leave the file before.
Outcome full(Pair& pair, const std::function<void()>& save) {
  const std::string before = bytes_of(pair.path);
  const int code = ended(start(save));
  if (code < 0 || code > 3) return Outcome::aborted;
  if (code == 0) return pair.is_whole() ? Outcome::same : Outcome::silently_different;
  return bytes_of(pair.path) == before ? Outcome::refused : Outcome::silently_different;
}

Outcome limited(Pair& pair, std::size_t one) {
  RandomStream random(8, one);
  const std::size_t bytes = random.below(pair.bytes_first.size());
  return full(pair, [&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const struct rlimit few { bytes, bytes };
    setrlimit(RLIMIT_FSIZE, &few);
    pair.first.save(pair.path);
  });
}

// A small file system that goes with the object.
class SmallDisk {
 public:
  SmallDisk(const std::string& folder, std::size_t bytes) : folder_(folder) {
    std::filesystem::create_directory(folder);
    const std::string size = "size=" + std::to_string(bytes);
    is_there_ = mount("tmpfs", folder.c_str(), "tmpfs", 0, size.c_str()) == 0;
  }
  ~SmallDisk() {
    if (is_there_) umount2(folder_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  bool is_there() const { return is_there_; }

 private:
  std::string folder_;
  bool is_there_ = false;
};

// The file before fits, and the next one does not beside it.
Outcome on_small_disk(const Pair& pair, const std::string& disk, std::size_t one) {
  RandomStream random(9, one);
  const std::string path = disk + "/model", filler = disk + "/filler";
  std::filesystem::remove(filler);
  write_bytes(path, pair.bytes_second);
  write_bytes(filler, std::string(random.below(pair.bytes_first.size()), 'x'));
  const int code = ended(start([&] { pair.first.save(path); }));
  const std::string found = bytes_of(path);
  if (code < 0 || code > 3) return Outcome::aborted;
  const bool is_right = found == (code == 0 ? pair.bytes_first : pair.bytes_second);
  const auto files = std::distance(std::filesystem::directory_iterator(disk), {});
  if (!is_right || files != 2) return Outcome::silently_different;
  return code == 0 ? Outcome::same : Outcome::refused;
}

}  // namespace

std::vector<Attack> attack_writers(std::size_t tries) {
  Pair pair;
  std::vector<Attack> out;
  const auto each = [&](const char* name, const char* what, auto&& attempt) {
    out.push_back({name, what, isolated(tries, attempt)});
  };
  each("two writers", "two processes save, or update in place, one file at the same time",
       [&](std::size_t one) { return two_writers(pair, one); });
  each("kill while writing", "a process that saves is killed by signal 9 at a random moment",
       [&](std::size_t one) { return killed(pair, one); });
  each("full disk", "a save with too little space: a limit on file sizes, and a small tmpfs",
       [&](std::size_t one) { return limited(pair, one); });
  const std::string folder = pair.folder.file("disk");
  const SmallDisk disk(folder, pair.bytes_first.size() * 5 / 2);
  if (!disk.is_there()) {
    out.back().skipped = "no tmpfs could be mounted: only the limit on file sizes was tried";
    return out;
  }
  const std::vector<Outcome> more =
      isolated(tries, [&](std::size_t one) { return on_small_disk(pair, folder, one); });
  out.back().outcomes.insert(out.back().outcomes.end(), more.begin(), more.end());
  return out;
}

}  // namespace postrider::attack

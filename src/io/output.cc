#include "io/output.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <system_error>

#include "postrider/error.h"
#include "postrider/model_file.h"
#include "text/terminal.h"
#include "text/text_table.h"

namespace postrider::cli {
namespace {

OutputKind format_kind(const std::string& name, const std::string& format) {
  return {name,
          [format](const std::string& path) { return format_of_file(path).starts_with(format); }};
}

std::string first_bytes(const std::string& path, std::size_t count) {
  std::string out(count, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(out.data(), static_cast<std::streamsize>(count));
  out.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
  return out;
}

// Also of files that are not there yet.
bool is_one_place(const std::string& a, const std::string& b) {
  std::error_code trouble;
  const auto place = [&](const std::string& path) {
    return std::filesystem::weakly_canonical(path, trouble);
  };
  return is_same_file(a, b) || (place(a) == place(b) && !trouble);
}

void expect_folder(const OutputTarget& target) {
  std::error_code trouble;
  const std::filesystem::path folder = std::filesystem::absolute(target.path).parent_path();
  if (!std::filesystem::is_directory(folder, trouble))
    reject(target.option, target.path, "its folder does not exist");
  if (std::filesystem::is_directory(target.path, trouble))
    reject(target.option, target.path, "is a folder");
}

}  // namespace

bool is_standard_output(const std::string& path) { return path.empty() || path == "-"; }

OutputKind model_kind() { return format_kind("a model", "postrider model"); }
OutputKind checkpoint_kind() { return format_kind("a checkpoint", "postrider checkpoint"); }
OutputKind sparse_model_kind() { return format_kind("a sparse model", "postrider sparse model"); }
OutputKind skill_history_kind() {
  return format_kind("a skill history", "postrider skill history");
}

OutputKind text_kind(const std::string& name, const std::vector<std::string>& beginnings) {
  return {name, [beginnings](const std::string& path) {
            return std::ranges::any_of(beginnings, [&](const std::string& beginning) {
              return first_bytes(path, beginning.size()) == beginning;
            });
          }};
}

void expect_writable(const OutputTarget& target, const OutputKind& kind) {
  if (is_standard_output(target.path)) return;
  expect_folder(target);
  for (const std::string& input : target.inputs)
    if (!input.empty() && input != "-" && is_one_place(target.path, input))
      reject(target.option, target.path, "is also a file that this command reads or writes");
  FileWriter probe(target.path);  // says what stands in the way, and leaves nothing behind
  std::error_code trouble;
  if (target.force || !std::filesystem::exists(target.path, trouble)) return;
  if (std::filesystem::file_size(target.path, trouble) > 0 && !kind.holds(target.path))
    reject(target.option, target.path,
           "is there already and is not " + kind.name + "; --force replaces it");
}

std::ostream& talk_beside(const std::string& path) { return path == "-" ? std::cerr : std::cout; }

Output::Output(const std::string& path) {
  if (!is_standard_output(path)) file_.emplace(path);
}

std::ostream& Output::stream() { return file_ ? file_->stream() : std::cout; }

void Output::finish() {
  if (file_)
    file_->finish();
  else
    expect_printed();
}

void save_model(const TableModel& model, const std::string& path) {
  if (path == "-" && isatty(STDOUT_FILENO) == 1)
    reject("--output", path, "is a terminal; send the model to a file or a program");
  Output output(path);
  model.save(output.stream());
  output.finish();
}

void save_model(const TableModel& model, const FileWriter::Version& replaced) {
  FileWriter writer(replaced);
  model.save(writer.stream());
  writer.finish();
}

void expect_printed() {
  if (!std::cout.flush())
    throw FileError("cannot write standard output: is the disk full, or its reader gone?", "-");
}

namespace {

// Past the stream, which lets no carriage return through. What a terminal does not take is no loss.
void send(const std::string& text) {
  static_cast<void>(write(STDERR_FILENO, text.data(), text.size()) < 0);
}

}  // namespace

LiveLine::LiveLine(bool quiet)
    : shown_(!quiet && isatty(STDERR_FILENO) == 1), logs_(!quiet && !shown_) {}

LiveLine::~LiveLine() { clear(); }

void LiveLine::show(const std::string& text) {
  const std::string safe = printable(text);
  if (logs_ && is_due()) send(safe + "\n");
  if (!shown_) return;
  const std::size_t width = shown_width(safe);
  send('\r' + safe + std::string(width < width_ ? width_ - width : 0, ' '));
  width_ = width;
}

bool LiveLine::is_due() {
  constexpr double kLeastSeconds = 10, kShare = 0.1;
  const auto since = [now = Clock::now()](Clock::time_point time) {
    return std::chrono::duration<double>(now - time).count();
  };
  if (since(last_) < std::max(kLeastSeconds, kShare * since(begin_))) return false;
  last_ = Clock::now();
  return true;
}

void LiveLine::clear() {
  if (width_ == 0) return;
  send('\r' + std::string(width_, ' ') + '\r');
  width_ = 0;
}

}  // namespace postrider::cli

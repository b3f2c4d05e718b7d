#include "io/output.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <system_error>

#include "postrider/error.h"
#include "postrider/model_file.h"

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

void save_model(const TableModel& model, const FileVersion& replaced) {
  FileWriter writer(replaced);
  model.save(writer.stream());
  writer.finish();
}

void expect_printed() {
  if (!std::cout.flush())
    throw FileError("cannot write standard output: is the disk full, or its reader gone?", "-");
}

}  // namespace postrider::cli

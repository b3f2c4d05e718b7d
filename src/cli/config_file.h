// Settings in a TOML file.
#pragma once

#include <CLI/CLI.hpp>
#include <istream>
#include <vector>

namespace postrider::cli {

// As CLI11 reads them, but that a key which stands twice in a section is a mistake, and not a longer list, and so is a section that no
// command is named as.
class StrictConfig final : public CLI::ConfigTOML {
 public:
  explicit StrictConfig(const CLI::App& app) : app_(app) {}

  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override;

 private:
  const CLI::App& app_;
};

}  // namespace postrider::cli

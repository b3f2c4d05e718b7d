// Settings in a TOML file.
#pragma once

#include <CLI/CLI.hpp>
#include <istream>
#include <vector>

namespace postrider::cli {

// As CLI11 reads them, but that a key which stands twice in a section is a mistake, and not a longer list.
class StrictConfig final : public CLI::ConfigTOML {
 public:
  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override;
};

}  // namespace postrider::cli

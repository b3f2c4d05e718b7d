// What train was given, as a call of it that makes the model again has it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "postrider/table_model.h"

namespace CLI {
class App;
}

namespace postrider::cli {

// Options by name, with their values; that of a flag is empty.
using GivenOptions = std::map<std::string, std::string>;

// Options that train was given, that the model depends on, and of which its file does not tell otherwise.
GivenOptions options_to_keep(const CLI::App& train);
// As a shell has them.
std::vector<std::string> words_of(const GivenOptions& given);

}  // namespace postrider::cli

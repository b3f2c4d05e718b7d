// What a file of a fitted model says of itself.
#pragma once

#include <string>

#include "postrider/export.h"

namespace postrider {

struct ModelFile {
  std::string
      format;  // such as "postrider model 1"; the number rises when older programs cannot read it
  std::string writer;          // such as "postrider 0.1.0"; empty if the file does not say
  bool has_checksums = false;  // files of version 0.1 have none: damage to them may go unnoticed
};

// Describes a file of a Regressor, Classifier or TableModel without reading all of it. Throws CorruptFile if
// it is not such a file, and FileError if it cannot be read.
POSTRIDER_EXPORT ModelFile describe_model_file(const std::string& path);

// What a file says it is, such as "postrider model 1" or "postrider checkpoint 4"; empty if it is none of
// ours or its header is damaged. Throws FileError if it cannot be read.
POSTRIDER_EXPORT std::string format_of_file(const std::string& path);

}  // namespace postrider

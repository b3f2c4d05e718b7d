// What a file of a fitted model says of itself.
#pragma once

#include <string>

namespace postrider {

struct ModelFile {
  std::string
      format;  // such as "postrider model 1"; the number rises when older programs cannot read it
  std::string writer;  // such as "postrider 0.1.0"; empty if the file does not say
};

// Of a file of a Regressor, Classifier or TableModel, without reading all of it. Throws Error if it is
// no such file.
ModelFile describe_model_file(const std::string& path);

}  // namespace postrider

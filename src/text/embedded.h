// SPDX-License-Identifier: Apache-2.0
// The library contains its data files, so that it needs no data folder at run time.
#pragma once

#include <string>
#include <vector>

namespace tileplan {

struct EmbeddedFile {
  std::string name;  ///< "resnet18.csv"
  std::string content;
};

const std::vector<EmbeddedFile>& embedded_layers();    ///< data/layers
const std::vector<EmbeddedFile>& embedded_machines();  ///< data/machines

}  // namespace tileplan

// SPDX-License-Identifier: Apache-2.0
// The library contains its data files, so it needs no data folder at run time.
#pragma once

#include <string>
#include <vector>

namespace tileplan {

struct EmbeddedFile {
  std::string name;  ///< Names the file, such as "resnet18.csv".
  std::string content;
};

/// These functions return the tables of named layers from data/layers, and the files of
/// data/machines.
const std::vector<EmbeddedFile>& embedded_layers();
const std::vector<EmbeddedFile>& embedded_machines();

}  // namespace tileplan

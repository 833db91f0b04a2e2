// SPDX-License-Identifier: Apache-2.0
// This file reads files up to a largest size, checks paths before they are written, and replaces
// files. To replace a file, it writes, syncs and renames a temporary file.
#include "files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "tileplan/error.h"

namespace tileplan {
namespace {

constexpr mode_t kReadableByAll = 0644, kPermissions = 0777;
constexpr std::size_t kPartBytes = std::size_t{1} << 16;
constexpr int kMostLinks = 40;  // Linux follows at most this many symbolic links in one path.

[[noreturn]] void fail(const std::string& path, const std::string& what, int reason) {
  throw Error(path + ": " + what + " (" + std::generic_category().message(reason) + ")");
}

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& target)
      : target_(target),
        name_(target + ".XXXXXX"),
        descriptor_(::mkostemp(name_.data(), O_CLOEXEC)) {
    if (descriptor_ < 0) fail(target_, "cannot write in its folder", errno);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!renamed_) ::unlink(name_.c_str());
  }

  void write(const std::string& content) {
    for (std::size_t done = 0; done < content.size();) {
      const ssize_t count = ::write(descriptor_, content.data() + done, content.size() - done);
      if (count < 0 && errno != EINTR) fail(target_, "cannot be written", errno);
      if (count > 0) done += static_cast<std::size_t>(count);
    }
    struct stat old {};
    const bool is_there = ::stat(target_.c_str(), &old) == 0;
    const mode_t mode = is_there ? old.st_mode & kPermissions : kReadableByAll;
    if (::fchmod(descriptor_, mode) != 0 || ::fsync(descriptor_) != 0)
      fail(target_, "cannot be written", errno);
  }

  void rename_to_target() {
    if (std::rename(name_.c_str(), target_.c_str()) != 0)
      fail(target_, "cannot be replaced", errno);
    renamed_ = true;
  }

 private:
  std::string target_;
  std::string name_;
  int descriptor_;
  bool renamed_ = false;
};

/// Returns the path at the end of a chain of symbolic links. The loop follows the links itself,
/// because std::filesystem stops at a link that points to nothing.
std::string end_of_links(std::filesystem::path path) {
  std::error_code error;
  for (int i = 0; i < kMostLinks; ++i) {
    if (!std::filesystem::is_symlink(path, error)) return path.string();
    const std::filesystem::path target = std::filesystem::read_symlink(path, error);
    if (error) fail(path.string(), "its link cannot be read", error.value());
    path = path.parent_path() / target;
  }
  fail(path.string(), "cannot be written", ELOOP);
}

}  // namespace

std::string read_file(const std::string& path, const char* kind, std::size_t most) {
  const std::string rule = std::string("; must be ") + kind;
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string content;
  std::vector<char> part(kPartBytes);
  while (file && content.size() <= most) {
    file.read(part.data(), static_cast<std::streamsize>(part.size()));
    content.append(part.data(), static_cast<std::size_t>(file.gcount()));
  }
  // Opening a folder succeeds, but reading it fails.
  if (!file.is_open() || file.bad())
    throw Error(path + ": cannot be read (" + std::generic_category().message(errno) + ")" + rule);
  // Without this limit, reading a device such as /dev/zero would never end.
  if (content.size() > most)
    throw Error(path + ": has more than " + std::to_string(most) + " bytes" + rule);
  return content;
}

void require_replaceable(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::is_directory(status)) throw Error(path + ": is a folder; must name a file");
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw Error(path + ": is there and is no regular file; must be one, or not be there");
}

void atomic_write(const std::string& given, const std::string& content) {
  require_replaceable(given);
  const std::string path = end_of_links(given);
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) fail(path, "its folder cannot be made", error.value());
  TemporaryFile file(path);
  file.write(content);
  file.rename_to_target();
}

void require_writable(const std::string& path, std::initializer_list<std::string> inputs) {
  require_replaceable(path);
  std::error_code error;
  const auto* const same = std::ranges::find_if(inputs, [&](const std::string& input) {
    return std::filesystem::equivalent(path, input, error);
  });
  if (same != inputs.end())
    throw Error(path + ": is read too, as '" + *same + "'; must be another file");
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) folder = ".";
  if (!std::filesystem::is_directory(folder, error) || ::access(folder.c_str(), W_OK) != 0)
    throw Error(path + ": cannot be written; the folder must exist and be writable");
}

void write_file(const std::string& path, const std::string& text) {
  require_writable(path);
  atomic_write(path, text);
}

}  // namespace tileplan

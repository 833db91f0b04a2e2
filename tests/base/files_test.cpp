// SPDX-License-Identifier: Apache-2.0
// These tests check that files are read and replaced as a whole, and which paths are refused.
#include "files.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <iterator>
#include <string>

#include "error_of.h"
#include "temporary_folder.h"

using namespace tileplan;

namespace {

std::ptrdiff_t files_in(const std::filesystem::path& folder) {
  const std::filesystem::directory_iterator files(folder);
  return std::distance(begin(files), end(files));
}

std::string complaint_about(const std::string& path) {
  return error_of([&] { atomic_write(path, "text"); });
}

}  // namespace

TEST_CASE("files: what was written is read, empty files too") {
  const TemporaryFolder folder;
  CHECK(read_file(folder.write("text", "a\nb"), "a text") == "a\nb");
  CHECK(read_file(folder.write("empty", ""), "a text").empty());
  const std::string three = folder.write("three", "abc");
  CHECK(read_file(three, "a text", 3) == "abc");
  CHECK(error_of([&] { read_file(three, "a text", 2); }) ==
        three + ": has more than 2 bytes; must be a text");
}

TEST_CASE("files: what cannot be read is named, with what it must be") {
  const TemporaryFolder folder;
  const std::string absent = folder / "absent", place = folder.path().string();
  CHECK(error_of([&] { read_file(absent, "a text"); }) ==
        absent + ": cannot be read (No such file or directory); must be a text");
  CHECK(error_of([&] { read_file(place, "a text"); }) ==
        place + ": cannot be read (Is a directory); must be a text");
}

TEST_CASE("files: writing makes missing folders, replaces the file and leaves nothing else") {
  const TemporaryFolder folder;
  const std::string path = folder / "a/b/file";
  atomic_write(path, "one");
  atomic_write(path, "another");
  CHECK(content_of(path) == "another");
  CHECK(files_in(folder.path() / "a/b") == 1);
}

TEST_CASE("files: a new bare name is written in the current folder") {
  const TemporaryFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  CHECK_NOTHROW(atomic_write("new.txt", "text"));
  std::filesystem::current_path(before);
  CHECK(content_of(folder / "new.txt") == "text");
}

TEST_CASE("files: of a symbolic link, what it points to is replaced") {
  const TemporaryFolder folder;
  const std::string target = folder.write("target", "old"), link = folder / "link";
  std::filesystem::create_symlink("target", link);
  atomic_write(link, "new");
  CHECK(std::filesystem::is_symlink(link));
  CHECK(content_of(target) == "new");
}

TEST_CASE("files: of a symbolic link to nothing, the file that it names is made") {
  const TemporaryFolder folder;
  const std::string link = folder / "link";
  std::filesystem::create_symlink("later/target", link);
  std::filesystem::create_symlink(link, folder / "link to a link");
  atomic_write(folder / "link to a link", "new");
  CHECK(std::filesystem::is_symlink(link));
  CHECK(content_of(folder / "later/target") == "new");
}

TEST_CASE("files: a replaced file keeps its permissions") {
  const TemporaryFolder folder;
  const std::string path = folder.write("private", "old");
  using std::filesystem::perms;
  std::filesystem::permissions(path, perms::owner_read | perms::owner_write);
  atomic_write(path, "new");
  CHECK(std::filesystem::status(path).permissions() == (perms::owner_read | perms::owner_write));
}

TEST_CASE("files: links that end nowhere are refused") {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("b", folder / "a");
  std::filesystem::create_symlink("a", folder / "b");
  CHECK(complaint_about(folder / "a").ends_with("(Too many levels of symbolic links)"));
}

TEST_CASE("files: a device without an end is refused") {
  CHECK(error_of([] { read_file("/dev/zero", "a machine file"); }) ==
        "/dev/zero: has more than 268435456 bytes; must be a machine file");
}

TEST_CASE("files: pipes, devices and folders are not replaced") {
  const TemporaryFolder folder;
  const std::string pipe = folder / "pipe", taken = folder / "taken";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::filesystem::create_directory(taken);
  CHECK(complaint_about(taken) == taken + ": is a folder; must name a file");
  for (const std::string& path : {pipe, std::string("/dev/null")})
    CHECK(complaint_about(path) ==
          path + ": is there and is no regular file; must be one, or not be there");
}

TEST_CASE("files: a folder that cannot be written gives one line and no temporary file") {
  const TemporaryFolder folder;
  const std::string file = folder.write("file", "not a folder");
  CHECK(complaint_about(file + "/inside") ==
        file + "/inside: its folder cannot be made (Not a directory)");
  CHECK(complaint_about("/proc/file") ==
        "/proc/file: cannot write in its folder (No such file or directory)");
  CHECK(files_in(folder.path()) == 1);
}

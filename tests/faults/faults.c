// SPDX-License-Identifier: Apache-2.0
// This library is preloaded into a program to make its calls fail. FAULT=malloc:N makes the N-th
// call of malloc() after the start of main() return null, whichever thread calls it. FAULT=write:N
// makes the N-th write to a file other than standard error, and each later one, report a full disk.
// Calls of malloc() in hwloc_topology_load() do not count and never fail, because hwloc 2.9 does
// not check its allocations and would crash.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

typedef int Main(int, char**, char**);

static Main* program_main;
// Only allocations after the start of main() fail, because the loader cannot handle failures.
static int in_main;

static int run_main(int argc, char** argv, char** environment) {
  in_main = 1;
  return program_main(argc, argv, environment);
}

int __libc_start_main(Main* main, int argc, char** argv, void (*init)(void), void (*fini)(void),
                      void (*loader_fini)(void), void* stack_end) {
  typedef int Start(Main*, int, char**, void (*)(void), void (*)(void), void (*)(void), void*);
  program_main = main;
  Start* start = (Start*)dlsym(RTLD_NEXT, "__libc_start_main");
  return start(run_main, argc, argv, init, fini, loader_fini, stack_end);
}

static long fail_at(const char* call) {
  const char* fault = getenv("FAULT");
  const size_t length = strlen(call);
  if (!fault || strncmp(fault, call, length) != 0 || fault[length] != ':') return -1;
  return atol(fault + length + 1);
}

static __thread int in_hwloc;

int hwloc_topology_load(void* topology) {
  typedef int Load(void*);
  Load* load = (Load*)dlsym(RTLD_NEXT, "hwloc_topology_load");
  ++in_hwloc;
  const int result = load(topology);
  --in_hwloc;
  return result;
}

void* malloc(size_t size) {
  static void* (*real)(size_t);
  static long left = -2;
  static __thread int inside;
  if (!real) real = (void* (*)(size_t))dlsym(RTLD_NEXT, "malloc");
  if (in_main && !inside && !in_hwloc && left != -1) {
    inside = 1;
    if (left == -2) left = fail_at("malloc");
    inside = 0;
    if (left > 0 && --left == 0) {
      left = -1;
      errno = ENOMEM;
      return NULL;
    }
  }
  return real(size);
}

// Standard error stays writable, because the message of the program is checked.
static int disk_is_full(int file) {
  static long left = -2;
  if (file == STDERR_FILENO) return 0;
  if (left == -2) left = fail_at("write");
  if (left < 0) return 0;
  if (left > 0) --left;
  if (left > 0) return 0;
  errno = ENOSPC;
  return 1;
}

ssize_t write(int file, const void* data, size_t size) {
  static ssize_t (*real)(int, const void*, size_t);
  if (!real) real = (ssize_t(*)(int, const void*, size_t))dlsym(RTLD_NEXT, "write");
  return disk_is_full(file) ? -1 : real(file, data, size);
}

ssize_t writev(int file, const struct iovec* parts, int count) {
  static ssize_t (*real)(int, const struct iovec*, int);
  if (!real) real = (ssize_t(*)(int, const struct iovec*, int))dlsym(RTLD_NEXT, "writev");
  return disk_is_full(file) ? -1 : real(file, parts, count);
}

ssize_t pwrite64(int file, const void* data, size_t size, off64_t at) {
  static ssize_t (*real)(int, const void*, size_t, off64_t);
  if (!real) real = (ssize_t(*)(int, const void*, size_t, off64_t))dlsym(RTLD_NEXT, "pwrite64");
  return disk_is_full(file) ? -1 : real(file, data, size, at);
}

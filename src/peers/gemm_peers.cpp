// SPDX-License-Identifier: Apache-2.0
// This file calls OpenBLAS, BLIS and MKL through the C interface of BLAS, and LIBXSMM through its
// own.
#include "gemm_peers.h"

#include <dlfcn.h>

#include <array>

#ifdef TILEPLAN_HAVE_XSMM
#include <libxsmm.h>
#endif

#include "tileplan/error.h"

namespace tileplan {
namespace {

/// The values of `order`, `trans_a` and `trans_b` are the integers that the BLAS Technical Forum
/// defines.
using Sgemm = void(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
                   const float* a, int lda, const float* b, int ldb, float beta, float* c, int ldc);
constexpr int kRowMajor = 101, kNoTrans = 111, kTrans = 112;

std::string install(const std::string& package) {
  return "tileplan was built without it; install " + package + " (Debian, Ubuntu) and build again";
}

/// Loads a shared library, which stays loaded until the process ends.
class Library {
 public:
  explicit Library(const char* file) : handle_(dlopen(file, RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) throw Error(dlerror());
  }

  template <class Function>
  Function* function(const char* name) const {
    void* address = dlsym(handle_, name);
    if (address == nullptr) throw Error(std::string("it has no ") + name);
    return reinterpret_cast<Function*>(address);
  }

 private:
  void* handle_;
};

GemmPeer blas_peer(const std::string& name, const std::string& version, const Library& library) {
  auto* const sgemm = library.function<Sgemm>("cblas_sgemm");
  return {.name = name,
          .version = version,
          .bind = [sgemm](const GemmShape& shape, const GemmOperands& operands) {
            if (shape.b > 1) throw Error(to_string(shape) + ": a batch; must be one product");
            const int m = static_cast<int>(shape.m), n = static_cast<int>(shape.n),
                      k = static_cast<int>(shape.k);
            const int lda = static_cast<int>(shape.lda), ldb = static_cast<int>(shape.ldb),
                      ldc = static_cast<int>(shape.ldc);
            const int a_form = shape.ta ? kTrans : kNoTrans, b_form = shape.tb ? kTrans : kNoTrans;
            return [=] {
              sgemm(kRowMajor, a_form, b_form, m, n, k, 1, operands.a.data(), lda,
                    operands.b.data(), ldb, 0, operands.c.data(), ldc);
            };
          }};
}

GemmPeer openblas(const char* file) {
  const Library library(file);
  library.function<void(int)>("openblas_set_num_threads")(1);
  // The text is for example "OpenBLAS 0.3.21 NO_LAPACKE ...".
  const std::string config = library.function<char*()>("openblas_get_config")();
  const std::size_t number = config.find(' ') + 1;
  return blas_peer("OpenBLAS",
                   config.substr(number, config.find(' ', number) - number) + ' ' +
                       library.function<char*()>("openblas_get_corename")(),
                   library);
}

GemmPeer blis(const char* file) {
  const Library library(file);
  library.function<void()>("bli_init")();
  library.function<void(std::int64_t)>("bli_thread_set_num_threads")(1);
  const int architecture = library.function<int()>("bli_arch_query_id")();
  return blas_peer("BLIS",
                   std::string(library.function<const char*()>("bli_info_get_version_str")()) +
                       ' ' + library.function<const char*(int)>("bli_arch_string")(architecture),
                   library);
}

/// The version text of MKL does not name its kernels: "Intel(R) oneAPI Math Kernel Library Version
/// 2024.2-Product Build 20240605 for Intel(R) 64 architecture applications" is an example.
GemmPeer mkl(const char* file) {
  const Library library(file);
  constexpr int kSequential = 1;  // This is MKL_THREADING_SEQUENTIAL in the header of MKL.
  library.function<int(int)>("MKL_Set_Threading_Layer")(kSequential);
  std::array<char, 256> text{};
  library.function<void(char*, int)>("MKL_Get_Version_String")(text.data(), text.size() - 1);
  const std::string words = text.data(), before = "Version ";
  const std::size_t number = words.find(before);
  if (number == std::string::npos) throw Error("its version is '" + words + "'");
  const std::size_t start = number + before.size();
  return blas_peer("MKL", words.substr(start, words.find_first_of("- ", start) - start), library);
}

/// Returns the peer from the library in `file`. On failure, GemmPeer::missing holds the reason.
GemmPeer load_peer(const std::string& name, const std::string& package, const char* file,
                   GemmPeer (*load)(const char* file)) {
  if (file == nullptr) return {.name = name, .missing = install(package)};
  try {
    return load(file);
  } catch (const Error& error) {
    return {.name = name, .missing = std::string("cannot be used: ") + error.what()};
  }
}

#ifdef TILEPLAN_HAVE_XSMM

/// LIBXSMM is column-major, so the row-major product C = A B is computed as the product of the
/// transposes, B' A' = C'.
GemmPeer xsmm() {
  return {.name = "LIBXSMM",
          .version = std::string(LIBXSMM_VERSION) + ' ' + libxsmm_get_target_arch(),
          .timed = "the product; it packs nothing",
          .bind = [](const GemmShape& shape, const GemmOperands& operands) {
            const int m = static_cast<int>(shape.m), n = static_cast<int>(shape.n),
                      k = static_cast<int>(shape.k);
            const float alpha = 1, beta = 0;
            if (shape.ta || shape.tb)
              throw Error("LIBXSMM: " + to_string(shape) + "; must have no transposed matrix");
            if (shape.b > 1)
              throw Error("LIBXSMM: " + to_string(shape) + ": a batch; must be one product");
            const int lda = static_cast<int>(shape.lda), ldb = static_cast<int>(shape.ldb),
                      ldc = static_cast<int>(shape.ldc);
            const libxsmm_smmfunction kernel =
                libxsmm_smmdispatch(n, m, k, &ldb, &lda, &ldc, &alpha, &beta, nullptr, nullptr);
            if (kernel == nullptr) throw Error("LIBXSMM: it has no kernel for " + to_string(shape));
            return [=] { kernel(operands.b.data(), operands.a.data(), operands.c.data()); };
          }};
}

#else

GemmPeer xsmm() { return {.name = "LIBXSMM", .missing = install("libxsmm-dev")}; }

#endif

}  // namespace

std::vector<GemmPeer> gemm_peers() { return {gemm_peer("openblas"), gemm_peer("blis"), xsmm()}; }

GemmPeer gemm_peer(const std::string& name) {
  if (name == "openblas")
    return load_peer("OpenBLAS", "libopenblas-dev", TILEPLAN_OPENBLAS, openblas);
  if (name == "blis") return load_peer("BLIS", "libblis-dev", TILEPLAN_BLIS, blis);
  if (library_of(name) == "mkl" && name.size() > sizeof "mkl")
    return load_peer("MKL", "", name.c_str() + sizeof "mkl", mkl);
  throw Error("peer: '" + name + "'; must be openblas, blis or mkl:FILE");
}

std::string library_of(const std::string& name) { return name.substr(0, name.find(':')); }

}  // namespace tileplan

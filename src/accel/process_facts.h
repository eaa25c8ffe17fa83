// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the objects of one process say together: CUDA majors that meet, sets of libraries that do
// not fit, a driver library that is a stub.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "accel/knowledge.h"
#include "loader/process.h"
#include "loader/store.h"

namespace loadable::accel {

/// One loaded object that belongs to a CUDA major.
struct CudaObject {
  int cuda = 0;
  std::string soname, path;
  std::string requested_by;  ///< path; empty: the program
  std::string request;
  /// Why: `soname`, `needs libcudart.so.13`, `its RUNPATH names cu13`.
  std::string reason;
};

/// Objects of CUDA majors other than `expected`, in load order (empty: one major only). `expected`
/// is the major that the provider library asks for.
struct CudaMajors {
  std::optional<int> expected;
  std::vector<CudaObject> objects;  ///< all that belong to a major
  [[nodiscard]] bool is_mixed() const;
};
CudaMajors cuda_majors(const Knowledge& knowledge, const loader::Process& process,
                       const std::string& provider_library);

/// The CUDA major that a file's dynamic section tells, with the reason; nothing: it tells none.
std::optional<std::pair<int, std::string>> cuda_of_file(const Knowledge& knowledge,
                                                        const loader::File& file);

/// One library of a set, as the process has it.
struct SetMember {
  std::string soname, path, directory;
  std::string release;  ///< `9.28.0`; empty: not told by owner or file name
};
/// A set of which at least the front library is in the process.
struct LibrarySet {
  std::string id, what;
  std::string front;               ///< path of the front library
  std::vector<SetMember> members;  ///< in load order, the front among them
  /// Members of two directories or two releases.
  [[nodiscard]] bool is_mixed() const;
};
/// `release_of` tells the release of the distribution that owns a path (empty: none).
std::vector<LibrarySet> library_sets(
    const Knowledge& knowledge, const loader::Process& process,
    const std::function<std::string(const std::string&)>& release_of);

/// What a file that answers `libcuda.so.1` is.
struct DriverFacts {
  std::string path, physical;
  std::uint64_t size = 0;
  bool is_stub = false;
  std::string reason;  ///< `cuInit is code that returns 34`; empty unless is_stub
};
/// A stub: cuInit is code that returns 34 (CUDA_ERROR_STUB_LIBRARY); or a component of the path,
/// links resolved, is `stubs`; or no DT_NEEDED and smaller than 1 MiB. Errors: those of opening.
Result<DriverFacts> driver_facts(loader::Store& store, const std::string& path);

/// Driver libraries in the process, in load order.
std::vector<DriverFacts> drivers_in(const Knowledge& knowledge, const loader::Process& process,
                                    loader::Store& store);

}  // namespace loadable::accel

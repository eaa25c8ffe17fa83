// SPDX-License-Identifier: Apache-2.0
#pragma once
// Subjects for the tests of the rules: small, complete, healthy until a test breaks them.

#include <string>
#include <vector>

#include "check/rules.h"
#include "check/verdicts.h"

namespace loadable::check {

inline Subject cuda_subject() {
  Subject subject;
  subject.provider = "onnxruntime:cuda";
  subject.title = "the CUDA provider of onnxruntime";
  subject.weight = Weight::Required;
  subject.libc = "glibc 2.36";
  subject.target = ".venv";
  subject.instance.id = subject.provider;
  subject.instance.distribution = "onnxruntime-gpu";
  subject.instance.version = "1.24.4";
  subject.instance.is_shipped = true;
  subject.instance.import_library = "/site/onnxruntime/capi/state.so";
  subject.instance.provider_library = "/site/onnxruntime/capi/libprovider.so";
  return subject;
}

inline Gap gap(std::string request) {
  Gap result;
  result.request = std::move(request);
  result.consumers = {"/site/onnxruntime/capi/libprovider.so"};
  result.effect = "the session falls back to the CPU";
  result.tried.push_back({loader::Rule::Cache, {}, loader::Outcome::NotInCache, {}, {}});
  result.tried.push_back(
      {loader::Rule::Default, "/lib/" + result.request, loader::Outcome::Absent, {}, {}});
  return result;
}

inline Copy copy(std::string path, std::string defect = {}) {
  return {std::move(path), "nvidia-x 1.0", std::move(defect)};
}

inline Break fault(loader::FailureKind kind, std::string message) {
  Break result;
  result.failure.kind = kind;
  result.failure.object = "/site/nvidia/libq.so.1";
  result.failure.requested_by = "/site/onnxruntime/capi/libprovider.so";
  result.failure.message = std::move(message);
  result.libc = "glibc 2.36";
  result.effect = "the session falls back to the CPU";
  return result;
}

/// The rules of a subject's rulings, in order.
inline std::vector<std::string> rules_of(const Subject& subject) {
  std::vector<std::string> names;
  for (const Ruling& ruling : judge(subject)) names.push_back(ruling.finding.rule);
  return names;
}

inline ProviderReport report_of(const Subject& subject) { return decide(subject, judge(subject)); }

inline Severity severity_of(const Subject& subject) {
  return judge(subject).front().finding.severity;
}

}  // namespace loadable::check

// SPDX-License-Identifier: Apache-2.0
#include "exam/group.h"

#include <algorithm>

#include "base/format.h"
#include "base/quote.h"
#include "check/remedies.h"
#include "check/ruling.h"

namespace loadable::exam {
namespace {

using check::Subject;
using check::Weight;

std::string title_of(const std::vector<std::string>& consumers) {
  if (consumers.size() == 1) return quoted(check::file_name(consumers.front()));
  return format("{} objects, {} among them,", consumers.size(),
                quoted(check::file_name(consumers.front())));
}

/// What names the cause: objects with the same key share it.
std::string key_of(const check::Gap& gap) { return "gap\n" + gap.request; }

std::string key_of(const check::Break& fault) {
  return format("break\n{}\n{}\n{}", static_cast<int>(fault.failure.kind),
                fault.failure.kind == loader::FailureKind::Symbol ? fault.failure.symbol
                                                                  : fault.failure.object,
                fault.failure.kind == loader::FailureKind::Version ? fault.failure.symbol : "");
}

void add_consumer(std::vector<std::string>& consumers, const std::string& path) {
  if (std::find(consumers.begin(), consumers.end(), path) == consumers.end()) {
    consumers.push_back(path);
  }
}

class Groups {
 public:
  void add(const Casualty& casualty) {
    // The first trouble is what the loader reports; the others would show after its repair and
    // have a finding of their own by their own key.
    for (const check::Gap& gap : casualty.troubles.gaps) {
      auto [at, is_new] = gaps_.try_emplace(key_of(gap), gap);
      if (is_new) at->second.consumers.clear();
      for (const std::string& consumer : gap.consumers) {
        add_consumer(at->second.consumers, consumer.empty() ? casualty.path : consumer);
      }
    }
    for (const check::Break& fault : casualty.troubles.breaks) {
      auto [at, is_new] = breaks_.try_emplace(key_of(fault), fault);
      add_consumer(at->second.consumers, casualty.path);
    }
  }

  [[nodiscard]] std::vector<Subject> subjects(const std::string& libc) const {
    std::vector<Subject> result;
    for (const auto& [key, gap] : gaps_) {
      Subject subject = head(gap.consumers, libc);
      subject.gaps.push_back(gap);
      result.push_back(std::move(subject));
    }
    for (const auto& [key, fault] : breaks_) {
      Subject subject = head(fault.consumers, libc);
      subject.breaks.push_back(fault);
      result.push_back(std::move(subject));
    }
    return result;
  }

 private:
  static Subject head(const std::vector<std::string>& consumers, const std::string& libc) {
    Subject subject;
    subject.title = title_of(consumers);
    subject.weight = Weight::General;
    subject.libc = libc;
    return subject;
  }

  std::map<std::string, check::Gap> gaps_;
  std::map<std::string, check::Break> breaks_;
};

/// One note for all optional parts of a distribution: a gap that names what they lack.
Subject optional_subject(const std::string& distribution,
                         const std::vector<const Casualty*>& casualties, const std::string& libc) {
  Subject subject;
  subject.weight = Weight::Optional;
  subject.libc = libc;
  subject.title = format("{} optional {} of {}", casualties.size(),
                         casualties.size() == 1 ? "part" : "parts", quoted(distribution));
  check::OptionalParts parts;
  parts.distribution = distribution;
  for (const Casualty* casualty : casualties) {
    parts.objects.push_back(casualty->path);
    for (const check::Gap& gap : casualty->troubles.gaps) add_consumer(parts.lacking, gap.request);
    for (const check::Break& fault : casualty->troubles.breaks) {
      add_consumer(parts.lacking, fault.failure.message);
    }
  }
  std::sort(parts.lacking.begin(), parts.lacking.end());
  subject.optional_parts.push_back(std::move(parts));
  return subject;
}

}  // namespace

void drop_host_matters(Troubles& troubles) {
  std::erase_if(troubles.breaks, [](const check::Break& fault) {
    return fault.failure.kind == loader::FailureKind::Symbol ||
           fault.failure.kind == loader::FailureKind::Tls;
  });
}

bool lacks_only_absent(const Casualty& casualty) {
  const bool all_absent = std::all_of(
      casualty.troubles.gaps.begin(), casualty.troubles.gaps.end(), [](const check::Gap& gap) {
        const check::GapCause cause = check::classify(gap);
        return cause == check::GapCause::Absent || cause == check::GapCause::FamilyMismatch ||
               cause == check::GapCause::Provided;
      });
  return !casualty.troubles.gaps.empty() && all_absent && casualty.troubles.breaks.empty();
}

std::vector<Subject> group(const Scene& scene, const std::vector<Casualty>& casualties,
                           const std::map<std::string, std::size_t>& healthy,
                           const std::string& libc) {
  Groups groups;
  std::map<std::string, std::vector<const Casualty*>> optional;
  for (const Casualty& casualty : casualties) {
    const bool rest_loads = healthy.contains(casualty.distribution);
    if (casualty.is_plugin || (rest_loads && lacks_only_absent(casualty))) {
      optional[casualty.distribution].push_back(&casualty);
    } else {
      groups.add(casualty);
    }
  }
  std::vector<Subject> subjects = groups.subjects(libc);
  for (const auto& [distribution, members] : optional) {
    subjects.push_back(optional_subject(distribution, members, libc));
  }
  for (Subject& subject : subjects) subject.target = scene.options.shown_target;
  return subjects;
}

}  // namespace loadable::exam

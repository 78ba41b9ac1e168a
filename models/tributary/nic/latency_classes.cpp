// SPDX-License-Identifier: Apache-2.0
#include <tributary/nic/latency_classes.h>

#include <limits>

namespace tributary {

latency_classes::cell& latency_classes::cell::operator+=(const cell& other) {
  if (other.latency.count() == 0) return *this;
  if (latency.count() == 0) distribution = empty_distribution();
  latency += other.latency;
  distribution += other.distribution;
  return *this;
}

latency_classes& latency_classes::operator+=(const latency_classes& other) {
  for (std::size_t i = 0; i < cells_.size(); ++i) cells_[i] += other.cells_[i];
  return *this;
}

latency_classes::cell latency_classes::of_warmth(heat warmth) const {
  const std::size_t first = static_cast<std::size_t>(warmth) * 2;
  cell sum = cells_[first + load];
  sum += cells_[first + atomic];
  return sum;
}

latency_classes::cell latency_classes::of_kind(std::size_t kind) const {
  cell sum;
  for (std::size_t i = kind; i < cells_.size(); i += 2) sum += cells_[i];
  return sum;
}

average latency_classes::latency() const {
  average all;
  for (const cell& its : cells_) all += its.latency;
  return all;
}

histogram latency_classes::distribution() const {
  cell all = of_kind(load);
  all += of_kind(atomic);
  return all.latency.count() == 0 ? empty_distribution() : all.distribution;
}

void latency_classes::report(statistics_group& group) const {
  const auto add = [&](const char* name, const cell& those, const std::string& requests) {
    statistics_group& into = group.group(name);
    into.add("latency", those.latency, "cycles", "Latency of " + requests + ".");
    for (const unsigned percent : {50U, 95U, 99U}) {
      const std::string text = std::to_string(percent);
      const bool any = those.latency.count() != 0;
      into.add("latency_p" + text,
               any ? static_cast<double>(those.distribution.percentile(percent / 100.0))
                   : std::numeric_limits<double>::quiet_NaN(),
               "cycles", "Percentile " + text + " of the latency of " + requests + ".");
    }
  };
  add("hot", of_warmth(heat::hot), "requests for a hot word of the workload");
  add("cold", of_warmth(heat::cold), "requests for other words, where a workload has hot ones");
  add("loads", of_kind(load), "loads");
  add("atomics", of_kind(atomic), "requests that may change their word: fetch-and-phi and stores");
}

}  // namespace tributary

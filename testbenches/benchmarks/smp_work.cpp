// SPDX-License-Identifier: Apache-2.0
#include "smp_work.h"

namespace tributary::benchmarks {
namespace {

smp_case of(const char* id, plain_smp::schedule kind, std::uint32_t processors) {
  smp_case made{id, {}};
  made.plain.kind = kind;
  made.plain.processors = processors;
  return made;
}

}  // namespace

smp_config smp_case::machine() const {
  smp_config config;
  smp_node_config& node = config.machine.node;
  node.schedule = plain.kind == plain_smp::schedule::fixed      ? schedule_kind::fixed
                  : plain.kind == plain_smp::schedule::floating ? schedule_kind::floating
                                                                : schedule_kind::single;
  node.processors = plain.processors;
  node.costs.interrupt = plain.interrupt;
  config.machine.nodes = plain.nodes;
  config.workload.requests.requests = plain.requests;
  config.workload.requests.utilisation = plain.utilisation;
  return config;
}

std::vector<smp_case> smp_cases() {
  return {of("fixed.2", plain_smp::schedule::fixed, 2),
          of("floating.3", plain_smp::schedule::floating, 3),
          of("single.1", plain_smp::schedule::single, 1)};
}

}  // namespace tributary::benchmarks

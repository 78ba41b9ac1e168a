// SPDX-License-Identifier: Apache-2.0
// Processors whose memory answers in the cycle in which they ask: what a program takes by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include <tributary/memory/address_map.h>
#include <tributary/memory/port.h>
#include <tributary/memory/word_store.h>
#include <tributary/processor/node_elements.h>
#include <tributary/processor/processing_elements.h>
#include <tributary/processor/program.h>
#include <tributary/processor/program_workload.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/cycle.h>

namespace tributary::benchmarks {

/// One memory of all processors. It performs every function at once. Processors that spin are
/// parked until their word is written, as they are in caches.
class ideal_memory {
 public:
  /// `map` must outlive it; as many processors as the map has modules.
  ideal_memory(const address_map& map, const processing_element_config& processor,
               std::unique_ptr<program> what);
  ~ideal_memory();
  ideal_memory(const ideal_memory&) = delete;
  ideal_memory& operator=(const ideal_memory&) = delete;

  /// Runs the program to its end.
  void run();

 private:
  class port;

  word_t perform(const access& request, cycle_t now);

  processing_element_config processor_;
  agenda time_;
  word_store words_;
  std::multimap<std::uint64_t, port*> watched_;  // by address
  std::vector<std::unique_ptr<port>> ports_;
  program_workload work_;
  node_elements elements_;
};

}  // namespace tributary::benchmarks

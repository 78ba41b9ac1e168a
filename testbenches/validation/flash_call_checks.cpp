// SPDX-License-Identifier: Apache-2.0
// FLASH's rows of calls of the operating system: a call as a line of the processor's caches, and by
// uncached loads.
#include <cstdint>

#include <support/cached_kernel.h>
#include <tributary/sim/error.h>

#include "flash_checks.h"

namespace tributary::validation {
namespace {

using testing::cached_kernel;

constexpr std::uint64_t virtual_page = 3 * cached_kernel::page;

/// Cycles of the processor in which a program does something while a call waits.
double cycles_of(const std::function<void(cached_kernel&, program_context&)>& what) {
  cached_kernel kernel;
  cycle_t cycles = 0;
  kernel.run([&](program_context& context) {
    kernel.call_for(context, virtual_page);
    context.delay(1000);
    const cycle_t begun = context.now();
    what(kernel, context);
    cycles = context.now() - begun;
  });
  return static_cast<double>(cycles);
}

/// Cycles that a line saves against uncached loads of so many words. The line has to be
/// acknowledged and dropped. Of uncached loads the last acknowledges, as published, so they need
/// nothing else.
double saved_by_line(std::uint64_t words) {
  const double line = cycles_of([words](cached_kernel& kernel, program_context& context) {
    for (std::uint64_t i = 0; i < words; ++i) kernel.record(context, i);
    kernel.acknowledge(context);
    kernel.drop(context);
  });
  const double uncached = cycles_of([words](cached_kernel& kernel, program_context& context) {
    for (std::uint64_t i = 0; i < words; ++i) kernel.uncached(context, i);
  });
  return uncached - line;
}

/// A line that the caches lost comes again with the same call, and is the next one's when the call
/// is acknowledged.
bool stays_until_acknowledged() {
  cached_kernel kernel;
  bool stays = false;
  kernel.run([&](program_context& context) {
    kernel.call_for(context, virtual_page);
    kernel.call_for(context, 2 * virtual_page);
    const bool first = kernel.record(context, 1) == virtual_page;
    kernel.drop(context);
    const bool again = kernel.record(context, 1) == virtual_page;
    kernel.acknowledge(context);
    kernel.drop(context);
    stays = first && again && kernel.record(context, 1) == 2 * virtual_page;
  });
  return stays;
}

}  // namespace

std::vector<planned_row> flash_call_checks(const claims& flash) {
  std::vector<planned_row> rows;
  for (const char* id :
       {"flash.OSPC.one", "flash.OSPC.two", "flash.OSPC.three", "flash.OSPC.all"}) {
    const family claim = flash[id];
    const auto words = static_cast<std::uint64_t>(claim.number("words"));
    rows.push_back(measured_on_blocks(claim, {"words"}, [words] { return saved_by_line(words); }));
  }
  rows.push_back(measured_on_blocks(flash["flash.OSPC.same"], {},
                                    [] { return stays_until_acknowledged() ? 1.0 : 0.0; }));
  return rows;
}

}  // namespace tributary::validation

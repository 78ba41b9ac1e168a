// SPDX-License-Identifier: Apache-2.0
// FLASH's stochastic contention (Figure 6.20): SV20 of the synchronization specification.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "flash_chapter_6.h"
#include "flash_checks.h"
#include "lock_measurements.h"
#include "measured_once.h"

namespace tributary::validation {
namespace {

using testing::synchronizing_config;
using testing::synchronizing_machine;
using rows_t = std::vector<planned_row>;

enum class lock_kind : std::uint8_t { ll_sc, mcs, flash };
/// Processors and the lock that they want.
using setting = std::pair<std::uint32_t, lock_kind>;

measured_lock lock_of(lock_kind kind) {
  switch (kind) {
    case lock_kind::ll_sc:
      return measured_ll_sc_lock();
    case lock_kind::mcs:
      return measured_mcs_lock();
    case lock_kind::flash:
      break;
  }
  return measured_flash_lock();
}

/// How long 3,200 critical sections take, evenly divided among the processors, in milliseconds.
/// After each the processor idles, at random, for five times as long in the mean. The publication
/// means cycles of its 100 MHz controller (10 ns) wherever it says no other.
double stochastic_contention(const setting& where) {
  constexpr std::uint32_t sections = 3200;
  constexpr std::uint64_t clock_ratio = 4;
  constexpr std::uint64_t held = 800 * clock_ratio;
  constexpr std::uint64_t most_idle = 2 * 4000 * clock_ratio;
  constexpr double microseconds_in_one = 1000;
  const std::uint32_t nodes = where.first;
  const synchronizing_config config =
      where.second == lock_kind::flash ? chapter_6(nodes) : conventional_chapter_6(nodes);
  const measured_lock lock = lock_of(where.second);
  synchronizing_machine machine(config);
  cycle_t end = 0;
  machine.run(
      [&](program_context& context) {
        const auto own = lock.make(context, machine);
        for (std::uint32_t i = 0; i < sections / nodes; ++i) {
          context.delay(lock.call_cycles);
          own->acquire();
          context.delay(held);
          own->release();
          context.delay(context.random(most_idle + 1));
        }
        end = std::max(end, context.now());
      },
      patience);
  return microseconds(end) / microseconds_in_one;
}

using shared_times = std::shared_ptr<measured_once<setting, double>>;

/// What the greater machine takes, by what the smaller one does.
planned_row rise(const family& claim, const shared_times& all, lock_kind kind) {
  const std::vector<double> sizes = claim.numbers("processors");
  return measured_on_blocks(claim, {"processors"}, [all, kind, sizes] {
    const auto at = [&](double size) { return all->at({static_cast<std::uint32_t>(size), kind}); };
    return at(sizes.at(1)) / at(sizes.at(0));
  });
}

}  // namespace

std::vector<planned_row> flash_stochastic_lock_checks(const claims& flash) {
  const auto all = std::make_shared<measured_once<setting, double>>(stochastic_contention);
  rows_t rows{rise(flash["flash.SV20.flash_rise"], all, lock_kind::flash),
              rise(flash["flash.SV20.mcs_rise"], all, lock_kind::mcs),
              rise(flash["flash.SV20.ll_sc_rise"], all, lock_kind::ll_sc)};
  const auto add = [&](const char* id, auto number) {
    for (planned_row& each : measured_by_processors(flash[id], {}, number)) {
      rows.push_back(std::move(each));
    }
  };
  add("flash.SV20.ratio", [all](std::uint32_t nodes) {
    return all->at({nodes, lock_kind::mcs}) / all->at({nodes, lock_kind::flash});
  });
  add("flash.SV20.plateau", [all](std::uint32_t nodes) {
    return all->at({nodes, lock_kind::flash});
  });
  // Up to 127 processors look at their caches all the time: minutes.
  for (planned_row& each : rows) each.only_full = true;
  return rows;
}

}  // namespace tributary::validation

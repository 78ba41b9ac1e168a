// SPDX-License-Identifier: Apache-2.0
// Rows of virtual interfaces (T: section 14 of the specification of CANPC 2000): doorbells and
// translation of Banikazemi et al. (P11), by firmware and a driver; and the costs that were put in.
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <tributary/sim/error.h>
#include <tributary/sim/random_stream.h>

#include <support/queue_machine.h>

#include "checks.h"
#include "family.h"

namespace tributary::validation {
namespace {

using testing::host_choice;
using testing::host_machine;
using testing::queue_choice;
using testing::queue_pair;

constexpr double cycles_a_microsecond = 10000;

planned_row queue_row(const claims& all, const std::string& id,
                      const std::function<double(const family&)>& measure) {
  const family claim = all["cluster." + id];
  planned_row row = claim.row();
  row.shape.configuration = json_value::make_object();
  for (const char* key : {"machine", "queues", "pages", "entries"}) {
    if (claim.has(key)) row.shape.configuration.set(key, claim.member(key));
  }
  row.measure = [claim, measure](const point_results&) { return measure(claim); };
  return row;
}

/// Myrinet of Linux hosts, or SP of NT hosts (Banikazemi et al., section 7.2 of the specification).
queue_choice machine_of(const family& claim) {
  queue_choice choice;
  if (claim.text("machine") == "sp") {
    choice.interface.write_cycles = 3300;
    choice.interface.read_cycles = 8700;
    choice.interface.to_host.startup = 16100;
    choice.interface.from_host.startup = 17800;
    choice.times.trap = 22700;
  }
  return choice;
}

void run(const queue_choice& choice, const std::function<void(program_context&)>& program,
         const std::function<void(host_machine&)>& look) {
  host_machine machine(choice.as_hosts(), program);
  if (!machine.run(1'000'000'000'000)) throw simulation_error("hosts have not ended");
  look(machine);
}

// --- doorbells (T65) -----------------------------------------------------------------------------

/// Cycles from a post to a queue at random, of so many that are active, until it was found.
double finding(std::uint32_t queues, doorbell_kind kind) {
  queue_choice choice;
  choice.firmware.queues = queues;
  choice.interface.doorbells = kind;
  double mean = 0;
  const auto program = [&](program_context& context) {
    if (context.rank() != 0) return;
    const virtual_interface_access access = choice.access(context);
    random_stream draws(1, 0U, 5U);
    for (int i = 0; i < 500; ++i) {
      // None of these queues is open: the firmware finds the post, and drops it.
      const std::uint64_t queue = draws.below(queues);
      if (kind == doorbell_kind::central) {
        context.store_bytes(access.central_register, queue << 20, 0x0f);
      } else {
        context.store_bytes(access.doorbells + queue * doorbell_page, 0, 0x0f);
      }
      context.delay(1'000'000 + draws.below(200'000));
    }
  };
  run(choice, program,
      [&](host_machine& machine) { mean = machine.host(0).interface().noticed().mean(); });
  return mean;
}

double finding_exponent(const family& claim) {
  const std::vector<double> queues = claim.numbers("queues");
  std::vector<double> cycles;
  for (const double each : queues) {
    cycles.push_back(finding(static_cast<std::uint32_t>(each), doorbell_kind::per_queue));
  }
  return fit_power(queues, cycles).exponent;
}

double central_growth(const family& claim) {
  const std::vector<double> queues = claim.numbers("queues");
  const auto at = [](double number) {
    return finding(static_cast<std::uint32_t>(number), doorbell_kind::central);
  };
  return at(queues.back()) / at(queues.front());
}

// --- the cache of translations (T67) -------------------------------------------------------------

struct cache_use {
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
};

/// Sends from one page after the other, in a circle.
cache_use cyclic(std::uint32_t pages, std::uint32_t entries, std::uint32_t rounds) {
  queue_choice choice;
  choice.firmware.translation = translation_kind::cached;
  choice.firmware.cache_entries = entries;
  cache_use found;
  const auto program = [&](program_context& context) {
    queue_pair pair(context, choice);
    if (context.rank() != 0) return;
    std::vector<std::uint32_t> frames(pages);
    std::iota(frames.begin(), frames.end(), 128U);
    const std::uint16_t handle = pair.kernel().register_memory(queue_pair::process, frames);
    for (std::uint32_t i = 0; i < rounds * pages; ++i) {
      pair.queue().post_send(handle, i % pages * queue_pair::page, 8);
      pair.queue().wait_send();
    }
  };
  run(choice, program, [&](host_machine& machine) {
    const host_interface& interface = machine.host(0).interface();
    const auto& firmware =
        dynamic_cast<const virtual_interfaces_protocol&>(interface.protocols().at(0));
    found.hits = interface.memory().read(firmware.places().hits);
    found.misses = interface.memory().read(firmware.places().misses);
  });
  return found;
}

double miss_share(const family& claim) {
  const cache_use used =
      cyclic(static_cast<std::uint32_t>(claim.member("pages").as_unsigned()),
             static_cast<std::uint32_t>(claim.member("entries").as_unsigned()), 3);
  return 100.0 * static_cast<double>(used.misses) / static_cast<double>(used.hits + used.misses);
}

double further_misses(const family& claim) {
  const auto pages = claim.member("pages").as_unsigned();
  const cache_use used =
      cyclic(static_cast<std::uint32_t>(pages),
             static_cast<std::uint32_t>(claim.member("entries").as_unsigned()), 3);
  return static_cast<double>(used.misses) - static_cast<double>(pages);
}

// --- what was put in (T61 to T64, T66) -----------------------------------------------------------

/// From the beginning of a post until its packet has left, in microseconds; bytes cost nothing. The
/// second send of the same page, or the first.
double send_time(queue_choice choice, bool is_second) {
  choice.costs.lookup = 0;
  choice.firmware.queues = 1;  // so that each post is found by one look
  choice.interface.from_host.byte = 0;
  cycle_t began = 0;
  cycle_t ended = 0;
  const auto program = [&](program_context& context) {
    queue_pair pair(context, choice);
    if (context.rank() != 0) return;
    for (int i = 0; i < (is_second ? 2 : 1); ++i) {
      context.delay(1'000'000);
      began = context.now();
      pair.queue().post_send(pair.handle(), 0, 8);
      pair.queue().wait_send();
      ended = context.now();
    }
  };
  run(choice, program, [](host_machine&) {});
  return static_cast<double>(ended - began) / cycles_a_microsecond;
}

double with_translation(const family& claim, translation_kind kind, bool is_second) {
  queue_choice choice = machine_of(claim);
  choice.times.poll = 1;
  choice.firmware.translation = kind;
  return send_time(choice, is_second);
}

double host_translation(const family& claim) {
  return with_translation(claim, translation_kind::host, false) -
         with_translation(claim, translation_kind::table, false);
}
double missed_translation(const family& claim) {
  return with_translation(claim, translation_kind::cached, false) -
         with_translation(claim, translation_kind::table, false);
}

/// The longest descriptor that is written sooner than fetched, in words of 4 bytes.
double longest_written(const family& claim) {
  const host_interface_config costs = machine_of(claim).interface;
  return std::floor(static_cast<double>(costs.from_host.startup) /
                    static_cast<double>(costs.write_cycles));
}

/// What an entry of a completion queue takes of DMA beyond the status.
double completion_entry(const family& claim) {
  const auto busy = [&](completion_kind kind) {
    queue_choice choice = machine_of(claim);
    choice.interface.to_host.byte = 0;
    choice.firmware.completions = kind;
    std::uint64_t cycles = 0;
    run(
        choice,
        [&](program_context& context) {
          queue_pair pair(context, choice);
          if (context.rank() != 0) return;
          pair.queue().post_send(pair.handle(), 0, 8);
          pair.queue().wait_send();
        },
        [&](host_machine& machine) { cycles = machine.host(0).interface().dma().busy().value(); });
    return static_cast<double>(cycles);
  };
  return (busy(completion_kind::entries) - busy(completion_kind::polled)) / cycles_a_microsecond;
}

/// Bytes of the table in the interface for so many pages.
double table_bytes(const family& claim) {
  virtual_interfaces_config config;
  config.table_entries = static_cast<std::uint32_t>(claim.member("pages").as_unsigned());
  const virtual_interfaces_protocol firmware(config, {});
  return static_cast<double>(firmware.places().descriptors - firmware.places().table) / 1024;
}

}  // namespace

std::vector<planned_row> virtual_interface_checks(const claims& cluster) {
  std::vector<planned_row> rows;
  for (const char* machine : {"myrinet", "sp"}) {
    const std::string name = machine;
    rows.push_back(queue_row(cluster, "T61." + name, longest_written));
    rows.push_back(queue_row(cluster, "T62.host." + name, host_translation));
    rows.push_back(queue_row(cluster, "T62.miss." + name, missed_translation));
    rows.push_back(queue_row(cluster, "T64." + name, completion_entry));
  }
  rows.push_back(queue_row(cluster, "T63", [](const family& claim) {
    return host_translation(claim) / missed_translation(claim);
  }));
  rows.push_back(queue_row(cluster, "T65.scan", finding_exponent));
  rows.push_back(queue_row(cluster, "T65.central", central_growth));
  rows.push_back(queue_row(cluster, "T66", table_bytes));
  rows.push_back(queue_row(cluster, "T67.128", miss_share));
  rows.push_back(queue_row(cluster, "T67.1024", further_misses));
  return rows;
}

}  // namespace tributary::validation

// SPDX-License-Identifier: Apache-2.0
// Machines whose directory was forged: a miss that never ends, and a directory that disagrees with
// a cache, stop the run with node, line and cycle. Also what is refused before the first cycle.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <flash/flash_machine.h>
#include <tributary/magic/coherence_audit.h>
#include <tributary/processor/program.h>
#include <tributary/sim/error.h>

#include <support/accesses.h>
#include <support/coherent_machine.h>
#include <support/failure.h>
#include <support/text_checks.h>

namespace tributary {
namespace {

using coherence::directory_entry;
using testing::coherent_config;
using testing::coherent_machine;
using testing::failure;
using testing::load_of;

constexpr std::uint64_t line = 0x3000;

void expect_in(const std::string& message, std::initializer_list<std::string> parts) {
  for (const std::string& each : parts) {
    EXPECT_NE(message.find(each), std::string::npos) << each << " in: " << message;
  }
}

void forge(magic_node& home, std::uint64_t offset,
           const std::function<void(directory_entry&)>& change) {
  const auto& own = static_cast<const coherence_protocol&>(home.protocols().at(0));
  const std::uint64_t at = own.layout().entry(offset);
  directory_entry entry(home.memory().read(at));
  change(entry);
  home.memory().write(at, entry.word());
}

/// A machine of which nodes 1 and 2 share a line of node 0, and node 1 has written another.
class forged_machine {
 public:
  forged_machine() : m(config()), audit(m.machine) {
    m.read(1, m.address(0, line));
    m.read(2, m.address(0, line));
    m.write(1, m.address(0, line + 128), 7);
  }
  std::string failure_at_rest() {
    return failure<simulation_error>([&] { audit.check_rest(); });
  }
  std::string text(std::uint64_t offset) const { return audit.text_of(m.address(0, offset)); }

  coherent_machine m;
  coherence_audit audit;

 private:
  static coherent_config config() {
    coherent_config chosen(3);
    chosen.machine.node.caches.patience = 20000;
    return chosen;
  }
};

TEST(coherence_audit, a_machine_that_is_right_passes) {
  forged_machine right;
  right.m.read(0, right.m.address(0, line + 256));
  EXPECT_EQ(right.failure_at_rest(), "");
  EXPECT_EQ(failure([&] { right.audit.check_progress(); }), "");
  EXPECT_EQ(right.text(line),
            "clean, sharers: node 1, listed: node 2; in the caches of: node 1 (shared), node 2 "
            "(shared)");
  EXPECT_EQ(right.text(line + 128),
            "dirty, owner: node 1, listed: none; in the caches of: node 1 (modified)");
  EXPECT_EQ(right.text(line + 256),
            "clean, sharers: node 0, listed: none; in the caches of: node 0 (shared)");
}

TEST(coherence_audit, an_exclusive_line_needs_its_owner_in_the_directory) {
  forged_machine forged;
  forge(forged.m.machine.node(0), line + 128, [](auto& entry) { entry.set_remote(node_id{2}); });
  expect_in(forged.failure_at_rest(),
            {"cache of node 1", "0x3080", "modified", "directory of node 0", "owner: node 2",
             "cycle " + std::to_string(forged.m.machine.now())});
}

TEST(coherence_audit, an_exclusive_line_is_not_clean) {
  forged_machine forged;
  forge(forged.m.machine.node(0), line + 128, [](auto& entry) { entry.set_dirty(false); });
  expect_in(forged.failure_at_rest(), {"node 1", "0x3080", "modified", "clean"});
}

TEST(coherence_audit, a_shared_line_must_be_in_the_list) {
  forged_machine forged;
  forge(forged.m.machine.node(0), line, [](auto& entry) { entry.set_list(0); });
  expect_in(forged.failure_at_rest(), {"cache of node 2", "0x3000", "shared", "listed: none"});
}

TEST(coherence_audit, a_shared_line_has_no_owner) {
  forged_machine forged;
  forge(forged.m.machine.node(0), line, [](auto& entry) { entry.set_dirty(true); });
  expect_in(forged.failure_at_rest(), {"node 1", "0x3000", "shared", "dirty"});
}

TEST(coherence_audit, no_line_is_pending_at_rest) {
  forged_machine forged;
  forge(forged.m.machine.node(0), line, [](auto& entry) { entry.set_pending(true); });
  expect_in(forged.failure_at_rest(), {"node 1", "0x3000", "pending"});
}

TEST(coherence_audit, a_list_without_end_is_told_too) {
  forged_machine forged;
  forge(forged.m.machine.node(0), line, [&](auto& entry) {
    const auto& own =
        static_cast<const coherence_protocol&>(forged.m.machine.node(0).protocols().at(0));
    forged.m.machine.node(0).memory().write(
        own.layout().element(entry.list()),
        coherence::list_element::next.put(coherence::list_element::node.put(0, 1), entry.list()));
  });
  expect_in(forged.failure_at_rest(), {"cache of node 2", "0x3000", "node 1, node 1, node 1, ..."});
}

TEST(coherence_audit, a_miss_that_is_refused_for_ever_is_told_with_who_waits_for_what) {
  forged_machine forged;
  forge(forged.m.machine.node(0), line, [](auto& entry) { entry.set_pending(true); });
  const cycle_t begin = forged.m.machine.now() + 100;
  forged.m.processors[0]->offer_at(begin * 4, load_of(forged.m.address(0, line)));
  std::string problem;
  while (problem.empty() && forged.m.machine.now() < begin + 100000) {
    forged.m.machine.run_until(forged.m.machine.now() + 100);
    problem = failure<simulation_error>([&] { forged.audit.check_progress(); });
  }
  expect_in(problem, {"node 0 waits to read", "0x3000", "since cycle " + std::to_string(begin),
                      "node.processor_caches.patience = 20000", "home of the line is node 0",
                      "pending", "node 2 (shared)"});
  EXPECT_GE(forged.m.machine.now(), begin + 20000);
  EXPECT_LE(forged.m.machine.now(), begin + 20000 + 20000 / 8 + 200) << "it looks often enough";
}

TEST(coherence_audit, needs_nodes_with_caches) {
  magic_machine machine({}, [](node_id) { return std::vector<std::unique_ptr<protocol>>(); });
  expect_in(failure<configuration_error>([&] { coherence_audit audit(machine); }), {"node 0"});
}

// --- the machine of a run ------------------------------------------------------------------------

flash_config cached_machine() {
  flash_config config;
  config.machine.nodes = 3;
  config.machine.network.topology = topology_kind::mesh;
  config.machine.node.memory.bytes = std::uint64_t{1} << 20;
  config.machine.node.caches.present = true;
  config.machine.node.caches.patience = 20000;
  config.workload.choice.kind = workload_kind::program;
  return config;
}

/// Those that the build has.
std::vector<engine_kind> engines() {
  const bool has_systemc =
      failure<configuration_error>([] { require_engine(engine_kind::systemc); }).empty();
  if (!has_systemc) return {engine_kind::loop};
  return {engine_kind::loop, engine_kind::systemc};
}

/// Nodes 1 and 2 read a word of node 0; what the run ends with.
std::string failure_of_run(engine_kind engine, const std::function<void(magic_node&)>& before,
                           cycle_t forged_in = 0,
                           const std::function<void(magic_node&)>& after = {}) {
  flash_machine machine(cached_machine(), 1, make_program([](program_context& context) {
                          if (context.rank() != 0) context.load(line);
                          context.delay(8000);
                        }),
                        engine);
  before(machine.nodes().node(0));
  return failure<simulation_error>([&] {
    machine.run_until(forged_in);
    if (after) after(machine.nodes().node(0));
    machine.run_until(200000);
    if (!machine.finished()) throw simulation_error("the programs have not ended");
  });
}

TEST(coherence_audit, a_run_stops_at_a_miss_that_lasts) {
  std::vector<std::string> problems;
  for (const engine_kind engine : engines()) {
    problems.push_back(failure_of_run(engine, [](magic_node& home) {
      forge(home, line, [](auto& entry) { entry.set_pending(true); });
    }));
    expect_in(problems.back(), {"node 1 waits to read", "0x3000", "node 0", "pending"});
    EXPECT_EQ(problems.back(), problems.front());
  }
}

TEST(coherence_audit, a_run_stops_at_its_end_if_the_directory_disagrees) {
  for (const engine_kind engine : engines()) {
    const auto nothing = [](magic_node&) {};
    EXPECT_EQ(failure_of_run(engine, nothing), "");
    expect_in(failure_of_run(engine, nothing, 1500,
                             [](magic_node& home) {
                               forge(home, line, [](auto& entry) { entry.set_list(0); });
                             }),
              {"0x3000", "shared", "directory of node 0", "listed: none"});
  }
}

// --- before the first cycle ----------------------------------------------------------------------

TEST(coherence_audit, what_cannot_work_is_refused_by_its_key) {
  const auto key_of = [](const std::function<void(flash_config&)>& change) {
    flash_config config = cached_machine();
    change(config);
    return failure<configuration_error>([&] { flash_machine machine(config, 1); });
  };
  using config = flash_config;
  EXPECT_EQ(key_of([](config&) {}), "");
  EXPECT_EQ(key_of([](config& c) { c.coherence.elements = 3; }), "");
  expect_in(key_of([](config& c) { c.coherence.elements = 2; }), {"coherence.elements", "2", "3"});
  auto levels = [](config & c) -> auto& { return c.machine.node.caches.levels.levels; };
  // Whole keys, as run files have them.
  const std::string inside = "node.processor_caches.caches.levels";
  const auto expect_key = [](const std::string& refused, const std::string& key,
                             std::initializer_list<std::string_view> parts) {
    EXPECT_TRUE(testing::begins_with(refused, key + ": "));
    EXPECT_TRUE(testing::names(refused, parts));
  };
  expect_key(key_of([&](config& c) { levels(c)[0].ways = 3; }), inside + ".0.bytes", {"3 ways"});
  expect_key(key_of([&](config& c) { levels(c)[1].line_bytes = 32; }), inside + ".1.line_bytes",
             {"32", "64"});
  expect_key(key_of([&](config& c) { levels(c).clear(); }), inside, {"one or more"});
  expect_key(key_of([&](config& c) { levels(c)[1].line_bytes = 256; }), inside,
             {"256", "memory.line_bytes = 128"});
  expect_key(key_of([](config& c) { c.machine.node.caches.patience = 0; }),
             "node.processor_caches.patience", {"0"});
  expect_key(key_of([](config& c) { c.machine.node.processor_interface.queue = 1; }),
             "node.processor_interface.queue", {"2 to 64"});
  expect_key(key_of([](config& c) { c.machine.node.addresses.node_bits = 9; }),
             "node.addresses.node_bits", {"9", "8, 10 or 12"});
}

}  // namespace
}  // namespace tributary

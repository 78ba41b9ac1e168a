// SPDX-License-Identifier: Apache-2.0
// A FLASH machine that was saved in any cycle and restored goes on exactly as if nothing had been.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <driver/event_files.h>
#include <flash/flash_machine.h>
#include <flash/flash_model.h>
#include <run/run_file.h>
#include <tributary/algorithms/fbcopy.h>
#include <tributary/sim/checkpoint.h>
#include <tributary/sim/error.h>
#include <tributary/sim/random_stream.h>

#include <support/event_text.h>
#include <support/random_magic_machine.h>
#include <support/scratch_directory.h>
#include <support/sizes.h>

namespace tributary {
namespace {

/// What a machine does until it has finished, and how it ends.
struct continuation {
  void go_on(flash_machine& machine, cycle_t cycles = 20000) {
    const testing::event_text told(machine.observers());
    machine.run_until(machine.now() + cycles);
    events = told.text();
    end = machine.now();
    statistics = machine.statistics().to_json_text();
    state = machine.save();
  }

  std::string events;
  std::string statistics;
  std::string state;  // memories included
  cycle_t end = 0;
};

void expect_equal(const continuation& x, const continuation& y, const std::string& where) {
  EXPECT_EQ(x.end, y.end) << where;
  EXPECT_TRUE(x.events == y.events) << "events differ: " << where;
  EXPECT_TRUE(x.statistics == y.statistics) << "statistics differ: " << where;
  EXPECT_TRUE(x.state == y.state) << "states differ: " << where;
}

using machine_maker = std::function<std::unique_ptr<flash_machine>()>;

/// Saves in cycle `when`, and compares what the machine, and one that is restored, do from there.
/// The latter may have done something else before.
void check(const machine_maker& make, cycle_t when, const std::string& where,
           cycle_t cycles = 20000) {
  std::string state;
  continuation expected;
  {
    const auto saved = make();
    saved->run_until(when / 2);
    if (when % 2 == 1) saved->reset_statistics();
    saved->run_until(when);
    state = saved->save();
    EXPECT_TRUE(saved->save() == state) << where;
    expected.go_on(*saved, cycles);
  }
  const auto restored = make();
  if (when % 3 == 1) restored->run_until(when / 3);
  restored->restore(state);
  EXPECT_EQ(restored->now(), when) << where;
  EXPECT_TRUE(restored->save() == state) << where;
  continuation found;
  found.go_on(*restored, cycles);
  expect_equal(expected, found, where);
}

void check(const flash_config& config, std::uint64_t seed, cycle_t when, const std::string& where) {
  check([&] { return std::make_unique<flash_machine>(config, seed); }, when, where);
}

/// How long a machine runs.
cycle_t length_of(const flash_config& config, std::uint64_t seed) {
  flash_machine machine(config, seed);
  machine.run_until(never - 1);
  return machine.now();
}

/// Every point of every preset.
std::vector<std::pair<std::string, flash_config>> preset_machines() {
  const std::string folder = std::string(TRIBUTARY_SOURCE_DIR) + "/platforms/flash/presets";
  std::vector<std::string> files;
  for (const auto& each : std::filesystem::directory_iterator(folder)) {
    if (each.path().extension() == ".json") files.push_back(each.path().string());
  }
  std::sort(files.begin(), files.end());
  std::vector<std::pair<std::string, flash_config>> found;
  for (const std::string& file : files) {
    for (const experiment& each : load_experiments(file).experiments) {
      found.emplace_back(file + " " + std::to_string(found.size()), flash_in(each.machine));
    }
  }
  return found;
}

std::string place(const std::string& what, cycle_t when) {
  return what + ", cycle " + std::to_string(when);
}

/// Applications of a few points, bodies and molecules.
void shorten(program_choice& program) {
  program.water.molecules = 16;
  program.water.steps = 1;
  program.water.interaction_cycles = 100;
  program.barnes.bodies = 40;
  program.barnes.interaction_cycles = 10;
  program.ocean.points = 16;
  program.ocean.levels = 3;
  program.ocean.steps = 1;
  program.ocean.point_cycles = 10;
}

/// Each machine is saved in some cycles, most of them drawn: within handlers, transfers and polls.
/// Those of one preset are much alike, and only the first is saved more than once.
TEST(flash_checkpoint, of_presets) {
  random_stream random(81, 0U, 0U);
  std::string last;
  for (auto& [name, config] : preset_machines()) {
    const std::string preset = name.substr(0, name.rfind(' '));
    const bool is_first = preset != std::exchange(last, preset);
    const std::uint64_t places = is_first ? testing::scaled(4) : 1;
    if (testing::sanitized && !is_first) continue;
    config.workload.count = std::min(config.workload.count, 2U);
    config.workload.choice.program.mpi_exchange.messages = 1;
    // A save looks through all of a memory.
    config.machine.node.memory.bytes = std::uint64_t{1} << 20;
    config.machine.node.protocol_bytes = std::uint64_t{1} << 18;
    shorten(config.workload.choice.program);
    const cycle_t length = length_of(config, 3);
    for (std::uint64_t i = 0; i < places; ++i) {
      const cycle_t when = 1 + random.below(length);
      check(config, 3, when, place(name, when));
      ASSERT_FALSE(HasFailure());
    }
  }
}

TEST(flash_checkpoint, of_every_part_of_a_transfer) {
  flash_config config;
  config.machine.node.memory.bytes = std::uint64_t{1} << 20;
  config.workload.bytes = 256;
  const cycle_t length = length_of(config, 5);
  for (cycle_t when = 0; when <= length; when += testing::sanitized ? 36 : 9) {
    check(config, 5, when, place("256 bytes", when));
    ASSERT_FALSE(HasFailure());
  }
}

/// Machines and work that the presets do not have.
flash_config random_flash(random_stream& random) {
  flash_config config;
  config.machine.nodes = 2U + static_cast<std::uint32_t>(random.below(5));
  config.machine.node.memory.bytes = std::uint64_t{1} << 20;
  config.machine.node.buffers.buffers = 4U + static_cast<std::uint32_t>(random.below(12));
  config.machine.node.network_interface.out_depth =
      3U + static_cast<std::uint32_t>(random.below(6));
  config.machine.node.timed.period = 100U << random.below(6);
  config.machine.network.router_buffers = 1U + static_cast<std::uint32_t>(random.below(4));
  config.machine.network.endpoint_buffers = 1U + static_cast<std::uint32_t>(random.below(8));
  config.workload.pattern =
      random.below(2) == 0 ? transfer_pattern::random : transfer_pattern::ring;
  config.workload.initiator =
      random.below(2) == 0 ? transfer_initiator::source : transfer_initiator::destination;
  config.workload.count = 1U + static_cast<std::uint32_t>(random.below(3));
  const std::uint32_t line = 32U << random.below(4);
  config.machine.node.memory.line_bytes = line;
  config.machine.network.payload_bytes = std::max(line, 128U);
  config.workload.bytes = line * (1 + random.below(5120 / line));
  config.workload.source_offset = 8 * random.below(32);
  config.workload.start = random.below(100);
  config.workload.pause = random.below(200);
  config.workload.poll = random.below(2) * 25;
  return config;
}

TEST(flash_checkpoint, of_random_machines) {
  random_stream random(82, 0U, 0U);
  for (std::uint64_t round = 0; round < testing::scaled(20); ++round) {
    const flash_config config = random_flash(random);
    const cycle_t length = length_of(config, round);
    for (int i = 0; i < 3; ++i) {
      const cycle_t when = 1 + random.below(length);
      check(config, round, when, place("round " + std::to_string(round), when));
      ASSERT_FALSE(HasFailure());
    }
  }
}

/// Uncached accesses of all kinds, and copies.
void access_and_copy(program_context& context, const testing::random_case& nodes) {
  const auto address = [&](std::uint64_t node, std::uint64_t offset) {
    return nodes.machine.node.addresses.address_of(node_id{static_cast<std::uint32_t>(node)}, 0,
                                                   offset);
  };
  constexpr std::uint64_t bytes = testing::user_bytes;
  const fbcopy_mapping mapping = physical_mapping(
      nodes.machine.node.addresses, node_id{context.rank()}, nodes.transfer.page_bytes);
  program_port port(context);
  for (int round = 0; round < 2; ++round) {
    for (std::uint64_t n = context.random(15); n-- > 0;) {
      const std::uint64_t where =
          address(context.random(context.size()), context.random(bytes / 8) * 8);
      switch (context.random(4)) {
        case 0:
          context.post(operation::store, where, n, 0);
          break;
        case 1:
          context.fence();
          break;
        default:
          context.load(where);
      }
      context.delay(context.random(3) * 10);
    }
    const std::uint64_t from = context.random(context.size());
    const std::uint64_t to = context.random(context.size());
    const std::uint64_t source = 4096 + context.random(bytes / 2 - 8192);
    const std::uint64_t destination = bytes / 2 + context.random(bytes / 2 - 4096);
    fbcopy(port, mapping, address(from, source), address(to, destination), 1 + context.random(3000),
           address(context.rank(), 64));
  }
}

TEST(flash_checkpoint, of_random_machines_whose_programs_access_and_copy) {
  for (std::uint64_t i = 0; i < testing::scaled(25); ++i) {
    const testing::random_case nodes(20000 + i);
    flash_config config;
    config.machine = nodes.machine;
    config.block_transfer = nodes.transfer;
    config.processor.turnaround = nodes.element.turnaround;
    config.processor.posted_stores = true;
    const machine_maker make = [&] {
      return std::make_unique<flash_machine>(
          config, nodes.seed,
          make_program([&nodes](program_context& context) { access_and_copy(context, nodes); }));
    };
    const auto whole = make();
    whole->run_until(never - 1);
    ASSERT_TRUE(whole->finished()) << nodes.text();
    random_stream draws(i, 6U, 0U);
    for (int round = 0; round < 2; ++round) {
      const cycle_t when = 1 + draws.below(whole->now());
      check(make, when, place(nodes.text(), when), whole->now());
      ASSERT_FALSE(HasFailure());
    }
  }
}

/// Traffic, a trace and programs, which the Ultracomputer runs too.
TEST(flash_checkpoint, of_other_workloads) {
  const testing::scratch_directory here;
  random_stream random(83, 0U, 0U);
  flash_config config;
  config.machine.nodes = 4;
  config.machine.network.topology = topology_kind::mesh;
  config.machine.node.memory.bytes = std::uint64_t{1} << 18;
  config.processor.start_window = 40;
  workload_config& work = config.workload.choice;
  work.traffic.operations = {{operation::load, 2}, {operation::store, 1}, {operation::swap, 1}};
  work.open_loop.load = 0.02;
  std::string lines = "# tributary-trace 1\n";
  for (int i = 1; i <= 60; ++i) {
    lines += std::to_string(4 * i) + " " + std::to_string(i % 4) + " fetch_add " +
             std::to_string(8 * (i % 3)) + " 1\n";
  }
  work.trace.file = here.write("trace", lines + "# end 60\n");
  for (const workload_kind kind : {workload_kind::closed_loop, workload_kind::open_loop,
                                   workload_kind::trace, workload_kind::program}) {
    for (const bool posted : {false, true}) {
      work.kind = kind;
      config.processor.posted_stores = posted && kind != workload_kind::program;
      config.machine.network.nodes_per_router = posted ? 2 : 1;
      for (std::uint64_t i = 0; i < testing::scaled(5); ++i) {
        const cycle_t when = 1 + random.below(1500);
        check(config, i, when, place("kind " + std::to_string(static_cast<int>(kind)), when));
        ASSERT_FALSE(HasFailure());
      }
    }
  }
}

/// Accesses that wait for their turn, and links of several processes.
TEST(flash_checkpoint, of_nodes_with_several_processes) {
  random_stream random(86, 0U, 0U);
  flash_config config;
  config.machine.network.topology = topology_kind::mesh;
  config.machine.node.memory.bytes = std::uint64_t{1} << 18;
  config.machine.node.protocol_bytes = std::uint64_t{1} << 16;
  config.machine.node.addresses.space_bits = barrier_command::space_bits;
  config.machine.node.jump_table.candidates = 6;
  config.machine.node.caches.present = true;
  config.machine.node.caches.levels.levels = {{256, 2, 64, 0}, {512, 1, 128, 10}};
  config.barriers.count = 1;
  config.locks.count = 4;
  config.processor.start_window = 40;
  program_choice& program = config.workload.choice.program;
  config.workload.choice.kind = workload_kind::program;
  program.supersteps.body = superstep_body::mixed;
  program.supersteps.references = 5;
  for (std::uint64_t i = 0; i < testing::scaled(12); ++i) {
    config.machine.nodes = 2U + static_cast<std::uint32_t>(random.below(5));
    config.machine.node.processes = 2U + static_cast<std::uint32_t>(random.below(2));
    config.machine.node.caches.levels.accesses = 1U + static_cast<std::uint32_t>(random.below(3));
    config.processor.turnaround = 1U + static_cast<std::uint32_t>(random.below(20));
    program.name = i % 2 == 0 ? program_kind::supersteps : program_kind::critical_sections;
    program.supersteps.barrier =
        i % 4 == 0 ? barrier_algorithm::flash : barrier_algorithm::tournament;
    program.critical_sections.lock = i % 4 == 1 ? lock_algorithm::flash : lock_algorithm::mcs_queue;
    const cycle_t when = 1 + random.below(3000);
    check(config, i, when, place("machine " + std::to_string(i), when));
    ASSERT_FALSE(HasFailure());
  }
}

/// Lines, replies and interventions that are under way.
TEST(flash_checkpoint, of_machines_with_caches) {
  random_stream random(84, 0U, 0U);
  flash_config config;
  config.machine.network.topology = topology_kind::mesh;
  config.machine.node.memory.bytes = std::uint64_t{1} << 18;
  config.machine.node.caches.present = true;
  config.machine.node.caches.levels.levels = {{256, 2, 64, 0}, {512, 1, 128, 10}};
  config.processor.start_window = 40;
  workload_config& work = config.workload.choice;
  work.traffic.operations = {{operation::load, 2}, {operation::store, 1}, {operation::swap, 1}};
  work.traffic.rows = 40;
  for (std::uint64_t i = 0; i < testing::scaled(12); ++i) {
    config.machine.nodes = 2U + static_cast<std::uint32_t>(random.below(5));
    work.kind = i % 2 == 0 ? workload_kind::program : workload_kind::closed_loop;
    config.processor.turnaround = 1U + static_cast<std::uint32_t>(random.below(20));
    config.coherence.consistency =
        i % 4 < 2 ? consistency_kind::relaxed : consistency_kind::sequential;
    const cycle_t when = 1 + random.below(3000);
    check(config, i, when, place("machine " + std::to_string(i), when));
    ASSERT_FALSE(HasFailure());
  }
}

/// Operations in records, on combining switches and in wait buffers.
TEST(flash_checkpoint, of_machines_whose_handlers_perform_operations) {
  random_stream random(85, 0U, 0U);
  flash_config config;
  config.machine.network.topology = topology_kind::omega;
  config.machine.node.memory.bytes = std::uint64_t{1} << 18;
  config.machine.node.caches.present = true;
  config.processor.start_window = 40;
  workload_config& work = config.workload.choice;
  work.kind = workload_kind::closed_loop;
  work.traffic.operations = {
      {operation::load, 1}, {operation::store, 1}, {operation::swap, 1}, {operation::fetch_add, 4}};
  work.traffic.rows = 2;
  work.traffic.hot_spot = 0.5;
  for (std::uint64_t i = 0; i < testing::scaled(12); ++i) {
    config.machine.nodes = 2U << random.below(3);
    config.machine.network.omega.combining =
        i % 3 == 0 ? combining_design::none : combining_design::improved;
    config.fetch_op.method = i % 2 == 0 ? fetch_op_method::home : fetch_op_method::coherent;
    config.processor.turnaround = 1U + static_cast<std::uint32_t>(random.below(20));
    const cycle_t when = 1 + random.below(3000);
    check(config, i, when, place("machine " + std::to_string(i), when));
    ASSERT_FALSE(HasFailure());
  }
}

/// Commands past the caches, answers that the processor does not have yet, flags in the caches.
TEST(flash_checkpoint, of_transfers_of_machines_with_caches) {
  random_stream random(85, 0U, 0U);
  flash_config config;
  config.machine.node.memory.bytes = std::uint64_t{1} << 18;
  config.machine.node.caches.present = true;
  config.processor.turnaround = 1;
  config.workload.count = 2;
  config.workload.poll = 20;
  for (std::uint64_t i = 0; i < testing::scaled(8); ++i) {
    config.coherence.consistency =
        i % 2 == 0 ? consistency_kind::relaxed : consistency_kind::sequential;
    const cycle_t when = 1 + random.below(length_of(config, i));
    check(config, i, when, place("transfers " + std::to_string(i), when));
    ASSERT_FALSE(HasFailure());
  }
}

/// A trace ends with the same memory as the requests by hand.
TEST(flash_checkpoint, a_trace_is_replayed_to_its_end) {
  const testing::scratch_directory here;
  flash_config config;
  config.workload.choice.kind = workload_kind::trace;
  config.workload.choice.trace.file = here.write(
      "t",
      "# tributary-trace 1\n1 0 fetch_add 64 5\n1 1 fetch_add 64 6\n900 1 fetch_add 64 7\n# "
      "end 3\n");
  flash_machine machine(config, 1);
  machine.run_until(never - 1);
  EXPECT_TRUE(machine.finished());
  EXPECT_GE(machine.now(), 900U);
  EXPECT_EQ(machine.nodes().node(0).memory().read(64), 18U);
  EXPECT_EQ(machine.statistics().find("workload.offered"), 3);
}

/// What was recorded asks for the same again.
TEST(flash_checkpoint, a_recorded_run_is_replayed) {
  const testing::scratch_directory here;
  flash_config config;
  config.workload.choice.kind = workload_kind::closed_loop;
  config.workload.choice.traffic.operations = {{operation::fetch_add, 1}};
  config.workload.choice.traffic.rows = 4;
  event_files files;
  files.record = here.path("recorded");
  flash_machine recorded(config, 1);
  event_observation observation(files, recorded);
  recorded.run_until(3000);
  recorded.drain({});
  observation.finish(false);
  config.workload.choice.kind = workload_kind::trace;
  config.workload.choice.trace.file = files.record;
  flash_machine replayed(config, 1);
  replayed.run_until(never - 1);
  EXPECT_GT(replayed.statistics().find("workload.offered"), 50);
  for (std::uint32_t node = 0; node < 2; ++node) {
    for (std::uint64_t at = 0; at < 256; at += 8) {
      EXPECT_EQ(replayed.nodes().node(node).memory().read(at),
                recorded.nodes().node(node).memory().read(at));
    }
  }
}

TEST(flash_checkpoint, can_be_drained) {
  flash_config config;
  config.workload.count = 1000;
  flash_machine saved(config, 1);
  saved.run_until(2500);
  flash_machine restored(config, 1);
  restored.restore(saved.save());
  EXPECT_TRUE(restored.drain({}));
  EXPECT_TRUE(saved.drain({}));
  EXPECT_EQ(restored.now(), saved.now());
}

TEST(flash_checkpoint, knows_that_its_processors_were_to_stop) {
  flash_config config;
  config.workload.count = 1000;
  flash_machine saved(config, 1);
  saved.run_until(2500);
  EXPECT_FALSE(saved.drain([] { return true; }));
  flash_machine restored(config, 1);
  restored.restore(saved.save());
  restored.run_until(100000);
  EXPECT_TRUE(restored.finished());
  EXPECT_LT(restored.now(), 100000U);
}

/// Says what was refused, or that nothing was.
std::string refusal(const flash_config& config, std::uint64_t seed, const std::string& state) {
  flash_machine machine(config, seed);
  try {
    machine.restore(state);
  } catch (const input_error& problem) {
    return problem.what();
  }
  return "accepted";
}

TEST(flash_checkpoint, of_another_machine_is_refused) {
  const flash_config config;
  flash_machine saved(config, 1);
  saved.run_until(1000);
  const std::string state = saved.save();
  EXPECT_EQ(refusal(config, 1, state), "accepted");
  EXPECT_NE(refusal(config, 2, state).find("seed"), std::string::npos);
  flash_config other = config;
  other.machine.node.memory.first_word = 15;
  EXPECT_NE(refusal(other, 1, state).find("configuration"), std::string::npos);
  EXPECT_NE(refusal(config, 1, seal_checkpoint("other/1", "", 1, "")).find("layout"),
            std::string::npos);
  EXPECT_NE(refusal(config, 1, "").find("checkpoint"), std::string::npos);
  EXPECT_NE(refusal(config, 1, "tributary.checkpoint/5").find("checkpoint"), std::string::npos);
}

TEST(flash_checkpoint, that_is_damaged_is_refused) {
  const flash_config config;
  flash_machine saved(config, 1);
  saved.run_until(1500);
  const std::string state = saved.save();
  random_stream random(83, 0U, 0U);
  for (std::uint64_t i = 0; i < testing::scaled(100); ++i) {
    std::string damaged = state;
    damaged[random.below(state.size())] ^= static_cast<char>(1U << random.below(8));
    ASSERT_NE(refusal(config, 1, damaged), "accepted") << i;
    ASSERT_NE(refusal(config, 1, state.substr(0, random.below(state.size()))), "accepted") << i;
  }
}

}  // namespace
}  // namespace tributary

// SPDX-License-Identifier: Apache-2.0
#include "flash_machine.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <tributary/algorithms/bcopy.h>
#include <tributary/algorithms/fbcopy.h>
#include <tributary/protocols/active_messages/active_messages.h>
#include <tributary/protocols/barriers/barriers.h>
#include <tributary/protocols/block_transfer/block_transfer.h>
#include <tributary/protocols/coherence/coherence.h>
#include <tributary/protocols/fetch_op/fetch_op.h>
#include <tributary/protocols/kernel_calls.h>
#include <tributary/protocols/locks/locks.h>
#include <tributary/protocols/reductions/reductions.h>
#include <tributary/protocols/uncached.h>
#include <tributary/sim/checkpoint.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/state_archive.h>

#ifdef TRIBUTARY_WITH_SYSTEMC
#include "flash_platform.h"
#endif

namespace tributary {
namespace {

/// Cycles between two looks of a program at what it was told without an access.
constexpr std::uint64_t glance = 8;

/// First in a checkpoint; the number changes with the layout of what follows.
constexpr const char* checkpoint_layout = "tributary.flash_checkpoint/20";

std::string config_text(flash_config config) { return parameter_set::of(config).resolved_json(); }

/// What a program learns in this cycle from outside of the machine.
template <class Look>
word_t ask_outside(program_context& context, Look&& look) {
  return context.outside(0, [&] { return std::optional<word_t>(look()); });
}

/// A cache that has the line of an address, its owner's if it has one; null if none has it.
const cache* holder_of(const magic_nodes& nodes, std::uint64_t address) {
  if (nodes.node(0).caches() == nullptr) return nullptr;  // nodes are all alike
  const cache* found = nullptr;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const cache& caches = *nodes.node(i).caches();
    const line_state state = caches.state_of(address);
    if (state != line_state::invalid && (found == nullptr || state != line_state::shared)) {
      found = &caches;
    }
  }
  return found;
}

/// The nodes in an engine. Throws what `magic_machine` throws, and `configuration_error` if
/// the build lacks the engine.
std::unique_ptr<magic_nodes> make_nodes(engine_kind engine, const magic_machine_config& config,
                                        const protocol_maker& protocols) {
  require_engine(engine);
#ifdef TRIBUTARY_WITH_SYSTEMC
  if (engine == engine_kind::systemc) {
    try {
      return std::make_unique<flash_platform>(config, protocols);
    } catch (const sc_core::sc_report& problem) {
      throw configuration_error(problem.get_msg());
    }
  }
#endif
  return std::make_unique<magic_machine>(config, protocols);
}

/// `coherence`: of the node, null without caches.
std::unique_ptr<protocol> make_fetch_op(const flash_config& config, const fetch_op_costs& costs,
                                        const coherence::handler_settings* coherence) {
  if (config.fetch_op.method == fetch_op_method::coherent) {
    return std::make_unique<fetch_op_protocol>(costs, config.fetch_op, *coherence,
                                               config.machine.nodes,
                                               config.machine.node.processor_interface.outstanding);
  }
  return std::make_unique<fetch_op_protocol>(costs, config.fetch_op);
}

protocol_maker protocols_of(const flash_config& config, line_states& lines) {
  const protocol_costs costs = config.costs.resolved();
  return [config, transfer = config.resolved_block_transfer(), costs, &lines](node_id) {
    const magic_node_config& node = config.machine.node;
    std::vector<std::unique_ptr<protocol>> protocols;
    line_states* states = &lines;
    const coherence::handler_settings* coherent = nullptr;
    if (node.caches.present) {
      auto coherence = std::make_unique<coherence_protocol>(config.coherence, costs.coherence,
                                                            node.protocol_storage(),
                                                            node.memory.line(), costs.pp_ownership);
      states = &coherence->lines();
      coherent = &coherence->settings();
      protocols.push_back(std::move(coherence));
    }
    auto kernel = std::make_unique<kernel_calls>(config.resolved_kernel(), costs.kernel_calls,
                                                 costs.software_tlb, costs.pages_in_use);
    protocols.push_back(std::make_unique<uncached_protocol>(costs.uncached));
    protocols.push_back(std::make_unique<block_transfer_protocol>(
        transfer, costs.block_transfer, costs.pp_ownership, *states, kernel.get()));
    const kernel_calls& calls = *kernel;
    protocols.push_back(make_fetch_op(config, costs.fetch_op, coherent));
    protocols.push_back(std::move(kernel));
    if (config.stache.present) {
      protocols.push_back(config.stache.make_protocol(node, config.machine.nodes));
    }
    if (config.workload.asks()) {
      if (auto asked = config.requests.make_protocol(node)) protocols.push_back(std::move(asked));
    }
    if (config.barriers.count != 0) {
      protocols.push_back(std::make_unique<barriers_protocol>(config.barriers, costs.barriers));
    }
    if (config.locks.count != 0) {
      protocols.push_back(std::make_unique<locks_protocol>(
          config.locks, costs.locks, config.machine.nodes, node.memory.line()));
    }
    if (config.reductions.count != 0) {
      protocols.push_back(std::make_unique<reductions_protocol>(config.reductions, costs.reductions,
                                                                costs.barriers));
    }
    if (config.active_messages.window != 0) {
      protocols.push_back(std::make_unique<active_messages_protocol>(config.active_messages,
                                                                     costs.active_messages, calls));
    }
    return protocols;
  };
}

/// Null for transfers, which are the machine's.
std::unique_ptr<workload> made_workload(const flash_config& config, const address_map& map,
                                        std::uint64_t seed) {
  const magic_node_config& node = config.machine.node;
  if (config.workload.transfers()) return nullptr;
  if (config.workload.asks()) {
    return std::make_unique<program_workload>(
        config.resolved_choice().program.run,
        config.requests.make_program(config.request_site(), config.workload.requests),
        config.resolved_processor(), map, seed);
  }
  return make_workload(config.resolved_choice(), config.resolved_processor(),
                       node.processor_interface.outstanding, map, seed);
}

flash_config with_programs(flash_config config) {
  config.workload.choice.kind = workload_kind::program;
  return config;
}

}  // namespace

flash_machine::flash_machine(const flash_config& config, std::uint64_t seed, engine_kind engine)
    : flash_machine(config, seed, engine,
                    [&](const address_map& map) { return made_workload(config, map, seed); }) {}

flash_machine::flash_machine(const flash_config& config, std::uint64_t seed,
                             std::unique_ptr<program> own_program, engine_kind engine)
    : flash_machine(with_programs(config), seed, engine, [&](const address_map& map) {
        return std::make_unique<program_workload>(config.resolved_choice().program.run,
                                                  std::move(own_program), config.processor, map,
                                                  seed);
      }) {}

flash_machine::flash_machine(const flash_config& config, std::uint64_t seed, engine_kind engine,
                             const make_function& make)
    : config_((config.validate(), config)),
      seed_(seed),
      engine_(engine),
      machine_(make_nodes(engine, config.machine, protocols_of(config, lines_))),
      addresses_(config.regions(), config.machine.nodes),
      workload_(make(addresses_)) {
  if (config_.machine.node.caches.present) audit_.emplace(*machine_);
  if (workload_ == nullptr) make_transfers();
  programs_ = dynamic_cast<program_workload*>(workload_.get());
  elements_.emplace(*workload_);
  elements_->add_all(*machine_);
}

void flash_machine::make_transfers() {
  const std::uint32_t nodes = config_.machine.nodes;
  std::vector<std::vector<planned_transfer>> plan = config_.workload.plan(
      nodes, config_.block_transfer.page_bytes, config_.machine.node.protocol_storage(), seed_,
      config_.machine.node.memory.line());
  for (std::uint32_t i = 0; i < nodes; ++i) {
    if (!plan[i].empty()) asking_ = i;
    transfers_.emplace_back().transfers = std::move(plan[i]);
    contents_.emplace_back(seed_, node_id{i}, purpose::program);
  }
  workload_ = std::make_unique<program_workload>(
      config_.workload.choice.program.run,
      make_program([this](program_context& context) { run_program(context); }),
      config_.resolved_processor(), addresses_, seed_);
  if (config_.workload.pattern == transfer_pattern::single) {
    timeline_ = std::make_unique<transfer_timeline>(machine_->node(0).protocols());
    machine_->observers().attach(*timeline_);
  }
}

flash_machine::~flash_machine() {
  if (timeline_ != nullptr) machine_->observers().detach(*timeline_);
}

void flash_machine::run_program(program_context& context) {
  node_transfers& mine = transfers_[context.rank()];
  const transfer_workload_config& asked = config_.workload;
  const std::uint64_t ratio = config_.processor_ratio();
  const cycle_t start = context.now() + asked.start * ratio;
  const std::uint64_t rounds = asked.prepares() ? asked.count : mine.transfers.size();
  for (std::uint64_t round = 0; round < rounds; ++round) {
    if (asked.prepares() && !prepare_lines(context, round)) return;
    if (mine.transfers.empty()) continue;
    if (round == 0) context.delay(std::max(start, context.now()) - context.now());
    if (ask_outside(context, [this] { return word_t{stopped_}; }) != 0) return;
    const planned_transfer& transfer = mine.transfers[round];
    if (asked.method == transfer_method::fbcopy) {
      ask_controller(context, mine, transfer);
    } else {
      use_processor(context, mine, transfer);
    }
    context.delay(asked.pause * ratio);
  }
}

bool flash_machine::prepare_lines(program_context& context, std::uint64_t round) {
  const planned_transfer& transfer = transfers_[asking_].transfers[round];
  const std::vector<line_preparation>& steps = transfer.preparations;
  const std::uint64_t before = round * steps.size();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (index(steps[i].processor) != context.rank()) continue;
    if (!wait_for_turn(context, round, before + i)) return false;
    if (i == 0) {
      ask_outside(context, [&] {
        renew_source(transfer);
        return word_t{0};
      });
    }
    bring_lines(context, steps[i], round);
    ask_outside(context, [this] { return ++prepared_; });
  }
  return context.rank() != asking_ || wait_for_turn(context, round, before + steps.size());
}

bool flash_machine::wait_for_turn(program_context& context, std::uint64_t round,
                                  std::uint64_t turn) {
  const word_t found = context.outside(glance, [&]() -> std::optional<word_t> {
    if (stopped_) return 0;
    const bool is_next = transfers_[asking_].next == round && prepared_ == turn;
    return is_next ? std::optional<word_t>(1) : std::nullopt;
  });
  return found != 0;
}

void flash_machine::bring_lines(program_context& context, const line_preparation& step,
                                std::uint64_t round) {
  const address_layout& layout = config_.machine.node.addresses;
  for (std::uint64_t at = step.first; at < step.end; at += config_.machine.node.memory.line_bytes) {
    const std::uint64_t address = layout.address_of(step.home, 0, at);
    if (step.writes) {
      context.store(address, (round + 1) << 32 | at);  // another word in each line and round
    } else {
      context.load(address);
    }
  }
  context.fence();
}

void flash_machine::ask_controller(program_context& context, node_transfers& task,
                                   const planned_transfer& transfer) {
  const address_layout& layout = config_.machine.node.addresses;
  const std::uint64_t ratio = config_.processor_ratio();
  const fbcopy_mapping mapping =
      physical_mapping(layout, node_id{context.rank()}, config_.block_transfer.page_bytes,
                       config_.machine.node.memory.line());
  program_port port(context);
  const std::uint64_t flag = layout.address_of(transfer.initiator, 0, transfer.flag_offset);
  const cycle_t asked = context.now();
  const word_t awaited = ask_outside(context, [&] {
    prepare(task, asked / ratio);
    return task.flag;
  });
  const fbcopy_outcome outcome =
      fbcopy(port, mapping, layout.address_of(transfer.source, 0, transfer.source_offset),
             layout.address_of(transfer.destination, 0, transfer.destination_offset),
             transfer.bytes, flag);
  const bool is_copied = outcome.copied_by_processor == transfer.bytes;
  if (outcome.result != block_transfer_result::accepted && !is_copied) {
    refuse(transfer, outcome.result);
  }
  const cycle_t accepted = context.now();
  ask_outside(context, [&] {
    refusals_.add(outcome.refusals);
    accepted_.add((accepted - asked) / ratio);
    return word_t{0};
  });
  if (config_.workload.poll != 0) fbcopy_wait(port, flag, awaited, config_.workload.poll * ratio);
  context.outside(glance, [&] { return task.waits ? std::nullopt : std::optional<word_t>(0); });
}

void flash_machine::use_processor(program_context& context, node_transfers& task,
                                  const planned_transfer& transfer) {
  const address_layout& layout = config_.machine.node.addresses;
  const std::uint64_t from = layout.address_of(transfer.source, 0, transfer.source_offset);
  const std::uint64_t to = layout.address_of(transfer.destination, 0, transfer.destination_offset);
  const cycle_t asked = context.now() / config_.processor_ratio();
  ask_outside(context, [&] {
    prepare(task, asked);
    return word_t{0};
  });
  if (config_.workload.method == transfer_method::bcopy) {
    bcopy(context, config_.workload.loop, from, to, transfer.bytes);
  } else if (config_.workload.method == transfer_method::prefetched_bcopy) {
    prefetched_bcopy(context, config_.workload.loop, config_.machine.node.memory.line(), from, to,
                     transfer.bytes);
  } else {
    read_lines(context, task, from);
  }
  context.fence();
  const cycle_t ended = context.now() / config_.processor_ratio();
  ask_outside(context, [&] {
    complete(task, ended);
    return word_t{0};
  });
}

void flash_machine::read_lines(program_context& context, node_transfers& task, std::uint64_t from) {
  const std::uint32_t line = config_.machine.node.memory.line_bytes;
  const std::uint64_t ratio = config_.processor_ratio();
  for (std::uint64_t at = 0; at < config_.workload.bytes; at += line) {
    if (at != 0) context.delay(config_.workload.pause * ratio);
    // From an edge of the controller's clock on, as its cycles are what is counted.
    context.delay((ratio - context.now() % ratio) % ratio);
    const cycle_t before = context.now();
    const word_t word = context.load(from + at);
    // The program goes on so long after the word is there.
    const cycle_t took = context.now() - before - config_.processor.turnaround;
    ask_outside(context, [&] {
      reads_.add(took);
      if (word != task.expected[at / 8]) refuse_word(from + at);
      return word_t{0};
    });
  }
}

/// New bytes at the source, so that those of an earlier transfer are not taken for them; except in
/// caches, where only a processor could put them.
std::vector<word_t> flash_machine::renew_source(const planned_transfer& transfer) {
  memory_controller& memory = machine_->node(index(transfer.source)).memory();
  const address_layout& layout = config_.machine.node.addresses;
  random_stream& draws = contents_[index(transfer.initiator)];
  std::vector<word_t> words;
  for (std::uint64_t i = 0; i < transfer.bytes; i += 8) {
    const std::uint64_t offset = transfer.source_offset + i;
    const std::uint64_t address = layout.address_of(transfer.source, 0, offset);
    const cache* const holder = holder_of(*machine_, address);
    const word_t drawn = draws.next_u64();
    if (holder == nullptr) memory.write(offset, drawn);
    words.push_back(holder == nullptr ? drawn : holder->word_at(address));
  }
  return words;
}

void flash_machine::prepare(node_transfers& task, cycle_t now) {
  const planned_transfer& transfer = task.transfers[task.next];
  task.expected = renew_source(transfer);
  task.flag = machine_->node(index(transfer.initiator)).memory().read(transfer.flag_offset) + 1;
  task.waits = true;
  task.asked = now;
}

void flash_machine::look_at_flags() {
  for (node_transfers& each : transfers_) {
    if (!each.waits) continue;
    const planned_transfer& transfer = each.transfers[each.next];
    if (machine_->node(index(transfer.initiator)).memory().read(transfer.flag_offset) ==
        each.flag) {
      complete(each, now());
    }
  }
}

void flash_machine::complete(node_transfers& task, cycle_t now) {
  const planned_transfer& transfer = task.transfers[task.next++];
  task.waits = false;
  time_.add(now - task.asked);
  bytes_.add(transfer.bytes);
  const bool is_copied = config_.workload.method != transfer_method::read;
  if (config_.workload.check && is_copied) check_bytes(task, transfer);
}

void flash_machine::check_bytes(const node_transfers& task, const planned_transfer& transfer) {
  const std::uint64_t wrong_before = wrong_bytes_.value();
  const memory_controller& memory = machine_->node(index(transfer.destination)).memory();
  const address_layout& layout = config_.machine.node.addresses;
  for (std::size_t i = 0; i < task.expected.size(); ++i) {
    const std::uint64_t offset = transfer.destination_offset + 8 * i;
    const std::uint64_t address = layout.address_of(transfer.destination, 0, offset);
    const cache* const holder = holder_of(*machine_, address);
    const word_t there = holder == nullptr ? memory.read(offset) : holder->word_at(address);
    for (unsigned byte = 0; byte < 8; ++byte) {
      if (((there ^ task.expected[i]) >> 8 * byte & 0xff) != 0) ++wrong_bytes_;
    }
  }
  const std::uint64_t wrong = wrong_bytes_.value() - wrong_before;
  if (wrong == 0) return;
  throw simulation_error(
      "the block transfer from node " + std::to_string(index(transfer.source)) + " to node " +
      std::to_string(index(transfer.destination)) + ", complete in cycle " + std::to_string(now()) +
      ", has " + std::to_string(wrong) + " wrong bytes of " + std::to_string(transfer.bytes) +
      " at its destination; please report the configuration");
}

void flash_machine::refuse(const planned_transfer& transfer, block_transfer_result result) const {
  throw simulation_error("the block transfer that node " +
                         std::to_string(index(transfer.initiator)) + " asked for in cycle " +
                         std::to_string(now()) + " was refused with result " +
                         std::to_string(static_cast<word_t>(result)));
}

void flash_machine::refuse_word(std::uint64_t address) const {
  const address_layout& layout = config_.machine.node.addresses;
  throw simulation_error(fmt::format(
      "a processor read a word in cycle {} that is not the newest of offset {} on node {}; please "
      "report the configuration",
      now(), layout.offset_of(address), index(layout.node_of(address))));
}

bool flash_machine::finished() const { return workload_->finished() && machine_->idle(); }

void flash_machine::run_until(cycle_t last) {
  if (finished()) return;
  const auto look = [this] {
    look_at_flags();
    if (programs_ != nullptr) check_programs();
    if (audit_) audit_->check_progress();
    return finished();
  };
  if (may_park()) {
    run_parked(last, look);
  } else {
    machine_->run_until(last, look);
  }
  check_coherence();
}

/// Modules know of their nodes' next wake-ups before a run.
bool flash_machine::may_park() {
  return programs_ != nullptr && engine_ == engine_kind::loop && elements_->offers().empty();
}

void flash_machine::run_parked(cycle_t last, const std::function<bool()>& look) {
  while (now() < last && !finished()) {
    elements_->let_park(config_.processor.turnaround);
    // Where all are parked nothing happens, and no look finds that they wait in vain.
    const cycle_t impatient = programs_->patient_until() / config_.processor_ratio() + 1;
    const cycle_t stop = std::min(last, std::max(impatient, now() + 1));
    try {
      machine_->run_until(stop, look);
    } catch (...) {
      elements_->end_parking();
      throw;
    }
    elements_->end_parking();
    check_programs();
  }
}

void flash_machine::check_programs() {
  const cycle_t here = now() * config_.processor_ratio();
  // Whatever parked programs have seen belongs into the report.
  if (here > programs_->patient_until()) elements_->end_parking();
  programs_->check_progress(here);
}

void flash_machine::check_coherence() {
  if (!audit_) return;
  audit_->check_progress();
  if (finished()) audit_->check_rest();
}

/// Grows as long as the workload gets on. A transfer gets on where a line or word is written into a
/// memory: polls of a flag and refused requests only read. Programs that poll for ever are found by
/// themselves.
std::uint64_t flash_machine::progress() const {
  std::uint64_t done = time_.count();
  for (std::size_t i = 0; i < machine_->size(); ++i) {
    const magic_node& node = machine_->node(i);
    done += config_.workload.transfers() ? node.memory().writes() : node.processing().dispatches();
  }
  return done;
}

bool flash_machine::drain(const std::function<bool()>& cancelled) {
  constexpr std::uint64_t step = 1000;
  const transfer_workload_config& asked = config_.workload;
  // Waiting on purpose is no lack of progress.
  const std::uint64_t patience = 1000000 + asked.start + asked.pause + asked.poll;
  stopped_ = true;
  if (!config_.workload.transfers()) workload_->stop();
  std::uint64_t done = progress();
  cycle_t last_progress = now();
  while (!finished()) {
    if (cancelled && cancelled()) return false;
    run_until(now() + step);
    if (progress() != done) last_progress = now();
    done = progress();
    if (!finished() && now() - last_progress > patience) {
      throw drain_error("drain check: nothing moved from cycle " + std::to_string(last_progress) +
                        " to " + std::to_string(now()) + ", with some under way");
    }
  }
  return true;
}

std::string flash_machine::save() const {
  const std::string timeline = timeline_ == nullptr ? std::string() : save_state(*timeline_);
  return seal_checkpoint(
      checkpoint_layout, config_text(config_), seed_,
      save_state(machine_->save(), workload_->save(), timeline, save_state(*this)));
}

void flash_machine::restore(const std::string& state) {
  std::string machine;
  std::string programs;
  std::string timeline;
  std::string own;
  restore_state(open_checkpoint(checkpoint_layout, config_text(config_), seed_, state), machine,
                programs, timeline, own);
  // Programs first: the machine's agendas know for what they wait.
  workload_->restore(programs);
  machine_->restore(machine);
  if (audit_) audit_.emplace(*machine_);  // it looks from here on
  if (timeline_ != nullptr) restore_state(timeline, *timeline_);
  const std::size_t nodes = transfers_.size();
  restore_state(own, *this);
  bool fits = transfers_.size() == nodes && contents_.size() == nodes;
  for (const node_transfers& each : transfers_) {
    fits = fits && each.next <= each.transfers.size() &&
           (!each.waits || each.next < each.transfers.size());
  }
  require_state(fits, "its transfers are other ones");
}

void flash_machine::reset_statistics() {
  measured_from_ = now();
  time_.reset();
  accepted_.reset();
  bytes_.reset();
  wrong_bytes_.reset();
  refusals_.reset();
  reads_.reset();
  if (timeline_ != nullptr) timeline_->reset_statistics();
  machine_->reset_statistics();
  workload_->reset_statistics();
}

std::uint64_t flash_machine::occupied(std::initializer_list<const char*> handlers) const {
  const protocol_set& protocols = machine_->node(0).protocols();
  std::uint64_t sum = 0;
  for (const char* name : handlers) {
    const handler_id handler = protocols.find(std::string("block_transfer.") + name);
    for (std::size_t i = 0; i < machine_->size(); ++i) {
      sum += machine_->node(i).processing().occupancy(handler).sum();
    }
  }
  return sum;
}

std::uint64_t flash_machine::invocations(const char* name) const {
  const handler_id handler =
      machine_->node(0).protocols().find(std::string("block_transfer.") + name);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < machine_->size(); ++i) {
    sum += machine_->node(i).processing().occupancy(handler).count();
  }
  return sum;
}

/// What a line costs the protocol processors; of transfers that are under way more is counted than
/// of those that were completed.
void flash_machine::report_lines(statistics_group& into) const {
  const std::uint32_t line_bytes = config_.machine.node.memory.line_bytes;
  const double lines = static_cast<double>(bytes_.value()) / line_bytes;
  const auto a_line = [lines](std::uint64_t cycles) {
    return lines == 0 ? 0.0 : static_cast<double>(cycles) / lines;
  };
  const std::uint64_t sent =
      occupied({"collect", "transfer", "transfer_realigned", "retry", "fetched"});
  const std::string each_line = "each line of " + std::to_string(line_bytes) + " bytes.";
  into.add(
      "send_cycles", a_line(sent), "cycles/line",
      "Occupancy of the source's protocol processor by the handlers that collect and send, of " +
          each_line);
  into.add("receive_cycles", a_line(occupied({"receive"})), "cycles/line",
           "Occupancy of the destination's protocol processor by the handler that receives.");
  into.add("line_back_cycles", a_line(occupied({"line_back"})), "cycles/line",
           "Occupancy of the source's protocol processor by lines that their owners sent on and "
           "home, of " +
               each_line);
  into.add("dropped_cycles", a_line(occupied({"dropped"})), "cycles/line",
           "Occupancy of the destination's protocol processor by acknowledgements of nodes that "
           "had its lines in caches, of " +
               each_line);
  into.add("refused_lines", invocations("forward_refused"), "lines",
           "Lines that their owner did not send on, for want of space; the source asks again.");
  into.add("peak_bandwidth", config_.machine.clock().megabytes_a_second(bytes_.value(), sent),
           "MB/s", "Bytes by the occupancy of the handlers that collect and send.");
}

statistics_tree flash_machine::statistics() const {
  statistics_tree tree;
  const cycle_t cycles = now() - measured_from_;
  statistics_group& whole = tree.group("machine");
  whole.add("cycles", cycles, "cycles", "Cycles measured, after the warm-up.");
  double busy = 0;
  for (std::size_t i = 0; i < machine_->size(); ++i) {
    busy += static_cast<double>(machine_->node(i).processing().busy());
  }
  whole.add("handling", cycles == 0 ? 0 : busy / static_cast<double>(cycles * machine_->size()), "",
            "Share of the cycles in which a node runs handlers, on average over nodes.");
  if (config_.workload.transfers()) {
    report_transfers(tree.group("transfer"));
  } else {
    workload_->report(tree.group("workload"));
  }
  machine_->report(tree.root());
  if (programs_ != nullptr) report_programs(tree);
  return tree;
}

void flash_machine::report_programs(statistics_tree& tree) const {
  const std::uint32_t processes = config_.machine.node.processes;
  for (std::size_t i = 0; i < machine_->size() * processes; ++i) {
    std::string path = fmt::format("node.{}.processor", i / processes);
    if (processes > 1) path += fmt::format(".process.{}", i % processes);
    programs_->report_element(i, tree.group(path));
  }
}

void flash_machine::report_transfers(statistics_group& transfer) const {
  transfer.add(
      "time", time_, "cycles",
      "From the first access of a request to the cycle in which memory has the flag incremented.");
  transfer.add("request", accepted_, "cycles",
               "From the first access of a request to its answer, by which the processor is free.");
  transfer.add("refusals", refusals_, "requests", "Requests that had to be repeated.");
  transfer.add("bytes", bytes_, "bytes", "Bytes of the transfers that were completed.");
  transfer.add("wrong_bytes", wrong_bytes_, "bytes",
               "Bytes at the destination that were not those of the source; 0 in all results, as "
               "the first transfer with any ends the run with an error.");
  const double reads = static_cast<double>(std::max<std::uint64_t>(reads_.count(), 1));
  transfer.add(
      "read_latency",
      static_cast<double>(reads_.sum()) / reads / static_cast<double>(config_.processor_ratio()),
      "cycles",
      "From the load of a line's first word to the word, where workload.method is read; "
      "its mean.");
  transfer.add("bandwidth", config_.machine.clock().megabytes_a_second(bytes_.value(), time_.sum()),
               "MB/s", "Bytes by time of a transfer, overhead included.");
  report_lines(transfer);
  if (timeline_ != nullptr) timeline_->report(transfer);
}

machine_trace flash_machine::trace() {
  return {machine_->catalog(),
          machine_->recorder(),
          machine_->held(),
          elements_->offers(),
          workload_->intervals(),
          [this](std::uint32_t element) {
            return machine_->node(element / config_.machine.node.processes).track(element);
          },
          config_.processor_ratio()};
}

}  // namespace tributary

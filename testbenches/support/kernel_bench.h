// SPDX-License-Identifier: Apache-2.0
// Nodes that copy, whose kernel speaks to the controller.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <tributary/algorithms/fbcopy.h>
#include <tributary/magic/magic_machine.h>
#include <tributary/protocols/kernel_calls.h>

#include "node_processor.h"
#include "protocol_lists.h"

namespace tributary::testing {

inline constexpr std::uint64_t kernel_page = 4096;
inline constexpr std::uint64_t source_offset = 4 * kernel_page;
inline constexpr std::uint64_t destination_offset = 8 * kernel_page;
inline constexpr std::uint64_t flag_offset = 2 * kernel_page + 64;
// As the process sees them.
inline constexpr std::uint64_t virtual_source = 0x7000'0000;
inline constexpr std::uint64_t virtual_destination = 0x7100'0000;
inline constexpr std::uint64_t virtual_flag = 0x7200'0000 + 64;

/// Two nodes that copy, each with its kernel's commands.
class kernel_bench {
 public:
  explicit kernel_bench(const kernel_calls_config& config = {})
      : machine_(magic_machine_config{}, [this, config](node_id) {
          const protocol_costs costs;
          auto kernel =
              std::make_unique<kernel_calls>(config, costs.kernel_calls, costs.software_tlb);
          const kernel_calls* const known = kernel.get();
          protocol_list all = list_of(std::make_unique<uncached_protocol>(costs.uncached),
                                      std::make_unique<block_transfer_protocol>(
                                          block_transfer_config{}, costs.block_transfer,
                                          costs.pp_ownership, lines_, known));
          all.push_back(std::move(kernel));
          return all;
        }) {
    for (std::uint64_t at = 0; at < kernel_page; at += word_bytes) {
      machine_.node(0).memory().write(source_offset + at, at + 1);
    }
  }

  magic_machine& machine() { return machine_; }
  const kernel_calls& kernel() {
    return static_cast<const kernel_calls&>(machine_.node(0).protocols().at(2));
  }
  word_memory& memory(std::uint32_t node) { return machine_.node(node).memory(); }

  std::uint64_t address(std::uint32_t node, std::uint64_t offset, std::uint8_t space = 0) const {
    return machine_.config().node.addresses.address_of(node_id{node}, space, offset);
  }
  std::uint64_t kernel_address(std::uint64_t offset) const {
    return address(0, offset, kernel_command::space);
  }
  /// Node 0's process 0 sees its pages there.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pages() const {
    return {{virtual_source, address(0, source_offset)},
            {virtual_destination, address(1, destination_offset)},
            {virtual_flag - 64, address(0, flag_offset - 64)}};
  }
  void enter(uncached_port& port, std::uint64_t virtual_page, std::uint64_t physical,
             page_access access = page_access::write) const {
    port.store(kernel_address(kernel_command::translation), virtual_page);
    port.store(kernel_address(kernel_command::translation) + word_bytes,
               physical + static_cast<word_t>(access));
  }
  void enter_all(uncached_port& port) const {
    for (const auto& [virtual_page, physical] : pages()) enter(port, virtual_page, physical);
  }

  fbcopy_mapping mapping() const {
    fbcopy_mapping found =
        physical_mapping(machine_.config().node.addresses, node_id{0}, kernel_page);
    found.translated = true;
    return found;
  }
  /// One attempt of a copy of a page by virtual addresses.
  block_transfer_result ask(uncached_port& port) const {
    name_virtual(port);
    return commit_virtual(port);
  }
  void name_virtual(uncached_port& port) const {
    const std::uint64_t commands = mapping().commands;
    port.store(commands, kernel_page);
    port.store(commands + 8, virtual_source);
    port.store(commands + 16, virtual_destination);
    port.store(commands + 24, virtual_flag);
  }
  block_transfer_result commit_virtual(uncached_port& port) const {
    return static_cast<block_transfer_result>(
        port.load(mapping().commands + block_transfer_command::commit_virtual));
  }
  /// A command of the shadow mapping; what is written to it is the virtual address, or 0.
  void name_shadow(uncached_port& port, bool with_virtual = true) const {
    port.store(mapping().commands, kernel_page);
    const auto name = [&](std::uint32_t node, std::uint64_t offset, std::uint64_t called) {
      port.store(address(node, offset, block_transfer_command::shadow_space),
                 with_virtual ? called : 0);
    };
    name(0, source_offset, virtual_source);
    name(1, destination_offset, virtual_destination);
    name(0, flag_offset, virtual_flag);
  }
  block_transfer_result commit_shadow(uncached_port& port) const {
    return static_cast<block_transfer_result>(
        port.load(mapping().commands + block_transfer_command::commit));
  }
  /// The translation of a virtual page, which led to `physical`, changes.
  void shoot_down(uncached_port& port, std::uint64_t virtual_page, std::uint64_t physical) const {
    port.store(kernel_address(kernel_command::changed_page), physical);
    port.store(kernel_address(kernel_command::shootdown), virtual_page);
  }
  word_t flag() { return memory(0).read(flag_offset); }
  bool run_until_flag(word_t value) {
    const auto done = [&] { return flag() == value && machine_.idle(); };
    machine_.run_until(machine_.now() + 100'000, done);
    return done();
  }
  /// Whether a page of node 1, the destination, has the source's words.
  bool is_copied(std::uint64_t to = destination_offset) {
    for (std::uint64_t at = 0; at < kernel_page; at += word_bytes) {
      if (memory(1).read(to + at) != at + 1) return false;
    }
    return true;
  }
  word_t operations() { return kernel().held().operations(memory(0)); }

 private:
  uncached_lines lines_;
  magic_machine machine_;
};

/// A processor that has asked for the end of a change, and goes on.
class asking_kernel final : private memory_client {
 public:
  explicit asking_kernel(kernel_bench& bench) : machine_(bench.machine()), bench_(bench) {}
  ~asking_kernel() { port().set_client(nullptr); }
  void change(std::uint64_t virtual_page) {
    port().set_client(this);
    offer(posted_store(bench_.kernel_address(kernel_command::shootdown), virtual_page));
    offer({bench_.kernel_address(kernel_command::shootdown), {}, tag_});
  }
  std::optional<cycle_t> answered;
  std::optional<word_t> answer;

 private:
  processor_interface& port() { return machine_.node(0).processor(); }
  void offer(const access& asked) {
    machine_.run_until(machine_.now() + 10'000, [&] { return port().can_take(); });
    port().offer(0, asked, machine_.now());
  }
  void completed(const completion& ended, cycle_t now) override {
    if (ended.tag != tag_) return;
    answered = now;
    answer = ended.value;
  }
  void room(std::size_t, cycle_t) override {}

  static constexpr std::uint64_t tag_ = 77;
  magic_machine& machine_;
  kernel_bench& bench_;
};

}  // namespace tributary::testing

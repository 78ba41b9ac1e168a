// SPDX-License-Identifier: Apache-2.0
// Hosts whose interfaces run virtual interfaces.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tributary/algorithms/virtual_interface_driver.h>
#include <tributary/protocols/virtual_interfaces/virtual_interfaces.h>

#include <support/host_machine.h>

namespace tributary::testing {

/// Hosts with queues, every kind of them. Costs are those of Myrinet of Banikazemi et al. (CANPC
/// 2000), in cycles of 100 ps.
struct queue_choice {
  std::uint32_t hosts = 2;
  host_interface_config interface;
  virtual_interfaces_config firmware;
  virtual_interfaces_costs costs;
  virtual_interface_times times;

  queue_choice() {
    interface.write_cycles = 1600;
    interface.read_cycles = 4900;
    interface.scan_cycles = 3000;
    interface.to_host = {14700, 76};
    interface.from_host = {17200, 76};
    interface.queues = firmware.queues;
    // Behind the pages that programs and tests use.
    firmware.host_table_at = std::uint64_t{3} << 20;
    firmware.completions_at = firmware.host_table_at + 65536;
  }

  /// With what one of both has from the other.
  queue_choice whole() const {
    queue_choice made = *this;
    made.interface.queues = made.firmware.queues;
    made.firmware.packet_bytes = made.interface.packet_bytes;
    made.firmware.pages_at = made.interface.pages_at();
    if (made.firmware.translation == translation_kind::host) {
      made.interface.doorbells = doorbell_kind::central;
    }
    return made;
  }
  std::string text() const {
    return "doorbells " + std::to_string(static_cast<int>(interface.doorbells)) + " translation " +
           std::to_string(static_cast<int>(firmware.translation)) + " descriptors " +
           std::to_string(static_cast<int>(firmware.descriptors)) + " completions " +
           std::to_string(static_cast<int>(firmware.completions)) + " processors " +
           std::to_string(interface.processors);
  }
  host_choice as_hosts() const {
    const queue_choice made = whole();
    host_choice all;
    all.hosts = hosts;
    all.node.interface = made.interface;
    all.firmware = [made](node_id) {
      std::vector<std::unique_ptr<protocol>> list;
      list.push_back(std::make_unique<virtual_interfaces_protocol>(made.firmware, made.costs));
      return list;
    };
    return all;
  }
  virtual_interface_access access(const program_context& context) const {
    const queue_choice made = whole();
    virtual_interfaces_protocol found(made.firmware, costs);
    virtual_interface_access where;
    where.protocol = made.firmware;
    where.places = found.places();
    where.central = made.interface.doorbells == doorbell_kind::central;
    where.window = host_window_space;
    where.doorbells = host_window_space + host_registers::doorbells;
    where.interface = host_window_space + host_registers::memory;
    where.memory = host_machine::memory_of(context);
    where.central_register = host_window_space + host_registers::central_queue;
    return where;
  }
};

/// Every kind of doorbell, descriptor, translation and completion that go together, with one and
/// two processors.
inline std::vector<queue_choice> all_queue_choices() {
  std::vector<queue_choice> all;
  for (int number = 0; number < 48; ++number) {
    queue_choice choice;
    choice.interface.processors = 1 + static_cast<std::uint32_t>(number % 2);
    choice.interface.doorbells = static_cast<doorbell_kind>(number / 2 % 2);
    choice.firmware.descriptors = static_cast<descriptor_kind>(number / 4 % 2);
    choice.firmware.completions = static_cast<completion_kind>(number / 8 % 2);
    choice.firmware.translation = static_cast<translation_kind>(number / 16);
    const bool by_kernel = choice.firmware.translation == translation_kind::host;
    const bool fetched = choice.firmware.descriptors == descriptor_kind::fetched;
    const bool central = choice.interface.doorbells == doorbell_kind::central;
    if (by_kernel && (fetched || !central)) continue;
    all.push_back(choice);
  }
  return all;
}

/// A process of each host with one queue, connected to that of the other host, and a region of four
/// pages that lie apart.
class queue_pair {
 public:
  static constexpr std::uint16_t process = 7;
  static constexpr std::uint64_t page = virtual_interfaces_config::page_bytes;

  queue_pair(program_context& context, const queue_choice& choice)
      : context_(context),
        access_(choice.access(context)),
        kernel_(context, access_, choice.times),
        queue_(context, access_, kernel_, 0, process, memory(), choice.times) {
    kernel_.open(0, process, memory());
    kernel_.connect(0, 1 - context.rank(), 0);
    handle_ = kernel_.register_memory(process, frames());
  }

  virtual_interface_kernel& kernel() { return kernel_; }
  virtual_interface_queue& queue() { return queue_; }
  std::uint16_t handle() const { return handle_; }
  static queue_memory memory() { return {60 * page, 61 * page}; }
  /// Pages of the region, in their order there.
  static std::vector<std::uint32_t> frames() { return {20, 9, 31, 14}; }
  /// Words of the region, by the process's addresses.
  word_t read(std::uint64_t address) { return context_.load(at(address)); }
  void write(std::uint64_t address, word_t value) { context_.store(at(address), value); }
  const virtual_interface_access& access() const { return access_; }

 private:
  std::uint64_t at(std::uint64_t address) const {
    return access_.memory + frames().at(address / page) * page + address % page;
  }

  program_context& context_;
  virtual_interface_access access_;
  virtual_interface_kernel kernel_;
  virtual_interface_queue queue_;
  std::uint16_t handle_ = 0;
};

}  // namespace tributary::testing

// SPDX-License-Identifier: Apache-2.0
// What the kernel and the controller of a node tell each other: translations and their changes, and
// calls of the operating system.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tributary/controller/fiber_protocol.h>
#include <tributary/protocols/hold_off.h>
#include <tributary/protocols/ospc_queues.h>
#include <tributary/protocols/pages_in_use.h>
#include <tributary/protocols/software_tlb.h>

namespace tributary {

class parameter_set;

/// The kernel's commands, as addresses of its own node (FLASH 4.1.2, 4.1.3, 4.2). Pages of their
/// space are the kernel's alone.
struct kernel_command {
  static constexpr std::uint8_t space = 3;

  /// Written with the first byte of a virtual page + the process: its translation is to change.
  /// Read behind that: answered with 1 when no operation uses translations any more, with 0 if
  /// another read waits for that.
  static constexpr std::uint64_t shootdown = 0;
  /// Written before a shootdown with the first byte of the physical page that the virtual page had.
  /// Only with it can addresses of half-built commands be told apart.
  static constexpr std::uint64_t changed_page = 8;
  /// Written with the first byte of a virtual page + the process, then, at the next doubleword,
  /// with the first byte of the physical page + what the process may do with it, a `page_access`.
  /// That may be a refusal, which is final: a command that needs more ends with it. The kernel
  /// takes it back by another translation of the page, or by a shootdown.
  static constexpr std::uint64_t translation = 128;
  /// Written with anything: the first call of the queue, by its priority, has been served.
  static constexpr std::uint64_t served(ospc_priority priority) {
    return 256 + word_bytes * static_cast<std::uint64_t>(priority);
  }
  /// Read: a doubleword of the first call of the queue.
  static constexpr std::uint64_t call(ospc_priority priority, std::uint64_t place) {
    return 1024 * (1 + static_cast<std::uint64_t>(priority)) + word_bytes * place;
  }

  /// The page that the kernel maps cacheable and not coherent, by its first byte (FLASH 4.1.3).
  static constexpr std::uint64_t record_page = 4096;
  static constexpr std::uint64_t record_page_bytes = 4096;
  /// Read: the same doubleword as `call`. The processor's caches get the whole record as a line,
  /// which stays the same until they drop it, whatever becomes of the call.
  static constexpr std::uint64_t record(ospc_priority priority, std::uint64_t place) {
    return record_page + 1024 * static_cast<std::uint64_t>(priority) + word_bytes * place;
  }
  /// Written with anything: the processor's caches drop the line of `record`; without caches
  /// nothing happens. A processor has an instruction for it.
  static constexpr std::uint64_t drop_page = record_page + record_page_bytes;
  static constexpr std::uint64_t drop(ospc_priority priority) {
    return record(priority, 0) + record_page_bytes;
  }

  /// The type of a call for a translation that is missing; its arguments are the virtual page, the
  /// process, and 1 for a write.
  static constexpr word_t missing_translation = 1;
  /// An active message; its first argument is the `active_header`.
  static constexpr word_t active_message = 2;
};

/// What becomes of commands that are being built when a translation changes (FLASH 4.2.2).
enum class half_built_commands : std::uint8_t {
  retry,      ///< each is refused at its end, and has to be repeated: the hold-off technique
  invalidate  ///< addresses in the page that changes become 0, and only they are got anew
};

/// Occupancy of the handlers. None is published; those of the software TLB come on top.
struct kernel_call_costs {
  std::uint64_t shootdown = 20;
  std::uint64_t translation = 10;
  std::uint64_t post = 30;
  std::uint64_t fetch = 11;
  std::uint64_t fetch_line = 11;
  std::uint64_t served = 10;
  void bind(parameter_set& parameters);
};

/// How much a node keeps.
struct kernel_calls_config {
  software_tlb_config software_tlb;
  ospc_config ospc;
  half_built_commands half_built = half_built_commands::retry;
  pages_in_use_config in_use;
  void bind(parameter_set& parameters);
  void validate() const;
};

/// The protocol, and what other protocols of the node use of it.
class kernel_calls : public fiber_protocol {
 public:
  kernel_calls(const kernel_calls_config& config, const kernel_call_costs& costs,
               const software_tlb_costs& tlb_costs, const pages_in_use_costs& in_use_costs = {});

  std::string name() const override { return "kernel_calls"; }
  std::vector<dispatch_rule> rules() const override;
  std::vector<handler> handlers() override;
  std::vector<noncoherent_page> noncoherent_pages() const override {
    return {{kernel_command::space, kernel_command::record_page, kernel_command::record_page_bytes,
             kernel_command::drop_page - kernel_command::record_page}};
  }
  std::uint64_t storage_bytes() const override;
  void initialize(const protocol_storage& where, word_memory& memory) override;

  const hold_off& held() const { return hold_off_; }
  const ospc_queues& calls() const { return calls_; }
  half_built_commands half_built() const { return half_built_; }
  /// Addresses of half-built commands; empty unless they are to be invalidated.
  const pages_in_use& in_use() const { return in_use_; }
  /// Where a byte of a process lies. If the page is missing, the kernel is told (FLASH 4.2.1).
  translation_lookup translate(handler_context& context, std::uint64_t virtual_address,
                               std::uint8_t process, bool write) const;

 private:
  void write(handler_context& context);
  void read(handler_context& context);
  void fetch_line(handler_context& context);
  void shoot_down(handler_context& context, word_t page) const;
  void change_page(handler_context& context, word_t physical_page) const;
  void enter(handler_context& context, word_t page) const;

  std::uint64_t page_bytes_;
  kernel_call_costs costs_;
  software_tlb tlb_;
  ospc_queues calls_;
  hold_off hold_off_;
  half_built_commands half_built_;
  pages_in_use in_use_;
  std::uint64_t virtual_page_ = 0;   // where the word of `translation` is kept
  std::uint64_t page_is_known_ = 0;  // the same of `changed_page`: whether it was written
  line_size line_;
};

}  // namespace tributary

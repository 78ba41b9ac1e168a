// SPDX-License-Identifier: Apache-2.0
// A driver for virtual interfaces: what the kernel does, and what a process does by itself.
#pragma once

#include <cstdint>
#include <vector>

#include <tributary/processor/program.h>
#include <tributary/protocols/virtual_interfaces/virtual_interfaces.h>

namespace tributary {

/// Where a driver finds its interface.
struct virtual_interface_access {
  virtual_interfaces_config protocol;
  virtual_interfaces_places places;
  bool central = false;                ///< posts go through the kernel
  std::uint64_t window = 0;            ///< address of the registers
  std::uint64_t doorbells = 0;         ///< address of the page of queue 0
  std::uint64_t interface = 0;         ///< address of offset 0 of the interface's memory
  std::uint64_t memory = 0;            ///< address of offset 0 of the host's memory
  std::uint64_t central_register = 0;  ///< address of the register for posts of the kernel
};

/// Where a queue keeps things in its host's memory, by offset; the kernel chooses it.
struct queue_memory {
  std::uint64_t statuses = 0;     ///< 8 bytes for each of `descriptor_form::slots`, twice
  std::uint64_t descriptors = 0;  ///< of `descriptor_form::bytes` each, twice; if they are fetched
};

/// What it costs beyond accesses, in cycles of 100 ps (Banikazemi et al., CANPC 2000: Myrinet).
struct virtual_interface_times {
  std::uint64_t trap = 10600;  ///< into the kernel and back
  std::uint64_t poll = 800;    ///< a look at a queue
};

/// The kernel's part, of one host.
class virtual_interface_kernel {
 public:
  /// `context` must outlive it.
  virtual_interface_kernel(program_context& context, const virtual_interface_access& where,
                           const virtual_interface_times& times = {})
      : context_(context), where_(where), times_(times) {}

  /// Opens a queue of a process, and connects it.
  void open(std::uint32_t queue, std::uint16_t process, const queue_memory& memory);
  void connect(std::uint32_t queue, std::uint32_t host, std::uint32_t peer);
  void close(std::uint32_t queue);
  /// Registers pages of the host's memory, by their numbers, as a region of a process, whose
  /// addresses begin at 0. Regions are never taken back. Throws `simulation_error` for more regions
  /// or pages than the firmware has room for.
  std::uint16_t register_memory(std::uint16_t process, const std::vector<std::uint32_t>& frames);
  /// Of a region that was registered here; AT1 translates by it.
  std::uint64_t host_offset(std::uint16_t handle, std::uint64_t address) const;
  /// Whether a process may name those bytes: within one page, as AT1 posts one address.
  bool may_post(std::uint16_t process, std::uint16_t handle, std::uint64_t address,
                std::uint64_t length) const;
  std::uint64_t pages() const { return pages_; }

 private:
  struct region {
    std::uint16_t process = 0;
    std::vector<std::uint32_t> frames;
  };

  void write(std::uint64_t offset, word_t value);
  void write_entry(std::uint64_t number, std::uint32_t frame);

  program_context& context_;
  virtual_interface_access where_;
  virtual_interface_times times_;
  std::vector<region> regions_;
  std::uint64_t pages_ = 0;
};

/// A process's end of a queue.
class virtual_interface_queue {
 public:
  /// References must outlive it. The queue must be open, of that process.
  virtual_interface_queue(program_context& context, const virtual_interface_access& where,
                          virtual_interface_kernel& kernel, std::uint32_t queue,
                          std::uint16_t process, const queue_memory& memory,
                          const virtual_interface_times& times = {});

  /// Posts a descriptor. At most `descriptor_form::slots` of a kind may be without an end that was
  /// waited for. Throws `simulation_error` where the kernel refuses it.
  void post_send(std::uint16_t handle, std::uint64_t address, std::uint64_t length);
  void post_receive(std::uint16_t handle, std::uint64_t address, std::uint64_t length);
  /// Waits for the oldest one to end, and returns its status word.
  word_t wait_send() { return wait(false); }
  word_t wait_receive() { return wait(true); }

 private:
  void post(bool receives, std::uint16_t handle, std::uint64_t address, std::uint64_t length);
  void post_by_kernel(bool receives, std::uint64_t slot, word_t first, word_t second);
  std::uint64_t descriptor_at(bool receives, std::uint64_t slot) const;
  word_t wait(bool receives);

  program_context& context_;
  virtual_interface_access where_;
  virtual_interface_kernel& kernel_;
  std::uint32_t queue_;
  std::uint16_t process_;
  queue_memory memory_;
  virtual_interface_times times_;
  std::uint64_t posted_[2] = {};
  std::uint64_t ended_[2] = {};
};

}  // namespace tributary

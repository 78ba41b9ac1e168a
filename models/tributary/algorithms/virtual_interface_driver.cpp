// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/virtual_interface_driver.h>

#include <string>

#include <tributary/controller/firmware_spaces.h>
#include <tributary/sim/error.h>

namespace tributary {
namespace {

constexpr std::uint64_t bytes_of_page = virtual_interfaces_config::page_bytes;
constexpr std::uint8_t register_bytes = 0x0f;
constexpr word_t receive_flag = 0x100;
constexpr unsigned central_shift = 20;

}  // namespace

// --- the kernel ----------------------------------------------------------------------------------

void virtual_interface_kernel::write(std::uint64_t offset, word_t value) {
  context_.store(where_.interface + offset, value);
}

void virtual_interface_kernel::open(std::uint32_t queue, std::uint16_t process,
                                    const queue_memory& memory) {
  const std::uint64_t record = where_.places.queues + queue * queue_record::bytes;
  context_.delay(times_.trap);
  write(record + queue_record::statuses, memory.statuses);
  write(record + queue_record::descriptors, memory.descriptors);
  write(record + queue_record::owner, queue_record::flag | process);
}

void virtual_interface_kernel::connect(std::uint32_t queue, std::uint32_t host,
                                       std::uint32_t peer) {
  context_.delay(times_.trap);
  write(where_.places.queues + queue * queue_record::bytes + queue_record::peer,
        queue_record::flag | word_t{host} << 16 | peer);
}

void virtual_interface_kernel::close(std::uint32_t queue) {
  context_.delay(times_.trap);
  const std::uint64_t record = where_.places.queues + queue * queue_record::bytes;
  write(record + queue_record::owner, 0);
  write(record + queue_record::peer, 0);
}

/// Two entries share a doubleword.
void virtual_interface_kernel::write_entry(std::uint64_t number, std::uint32_t frame) {
  const std::uint64_t at = number / 2 * word_bytes;
  const word_t value = word_t{frame} << (32 * (number % 2));
  const auto bytes =
      static_cast<std::uint8_t>(number % 2 == 0 ? register_bytes : register_bytes << 4);
  switch (where_.protocol.translation) {
    case translation_kind::host:
      return;
    case translation_kind::table:
      context_.store_bytes(where_.interface + where_.places.table + at, value, bytes);
      return;
    case translation_kind::cached:
      context_.store_bytes(where_.memory + where_.protocol.host_table_at + at, value, bytes);
      return;
  }
}

std::uint16_t virtual_interface_kernel::register_memory(std::uint16_t process,
                                                        const std::vector<std::uint32_t>& frames) {
  if (regions_.size() == where_.protocol.regions ||
      pages_ + frames.size() > where_.protocol.table_entries) {
    throw simulation_error("a region of " + std::to_string(frames.size()) +
                           " pages does not fit the " + std::to_string(where_.protocol.regions) +
                           " regions and " + std::to_string(where_.protocol.table_entries) +
                           " pages of the firmware; raise regions or table_entries");
  }
  context_.delay(times_.trap);
  const auto handle = static_cast<std::uint16_t>(regions_.size());
  for (std::size_t i = 0; i < frames.size(); ++i) write_entry(pages_ + i, frames[i]);
  const std::uint64_t record = where_.places.regions + handle * region_record::bytes;
  write(record + region_record::first_entry, pages_);
  word_t word = region_record::process.put(0, process);
  word = region_record::pages.put(word, frames.size());
  write(record, region_record::valid.put(word, 1));
  pages_ += frames.size();
  regions_.push_back({process, frames});
  return handle;
}

std::uint64_t virtual_interface_kernel::host_offset(std::uint16_t handle,
                                                    std::uint64_t address) const {
  return regions_.at(handle).frames.at(address / bytes_of_page) * bytes_of_page +
         address % bytes_of_page;
}

bool virtual_interface_kernel::may_post(std::uint16_t process, std::uint16_t handle,
                                        std::uint64_t address, std::uint64_t length) const {
  if (handle >= regions_.size() || regions_[handle].process != process) return false;
  const std::uint64_t bytes = regions_[handle].frames.size() * bytes_of_page;
  return length != 0 && length <= bytes_of_page - address % bytes_of_page && address < bytes &&
         length <= bytes - address;
}

// --- a process -----------------------------------------------------------------------------------

virtual_interface_queue::virtual_interface_queue(program_context& context,
                                                 const virtual_interface_access& where,
                                                 virtual_interface_kernel& kernel,
                                                 std::uint32_t queue, std::uint16_t process,
                                                 const queue_memory& memory,
                                                 const virtual_interface_times& times)
    : context_(context),
      where_(where),
      kernel_(kernel),
      queue_(queue),
      process_(process),
      memory_(memory),
      times_(times) {}

void virtual_interface_queue::post_send(std::uint16_t handle, std::uint64_t address,
                                        std::uint64_t length) {
  post(false, handle, address, length);
}

void virtual_interface_queue::post_receive(std::uint16_t handle, std::uint64_t address,
                                           std::uint64_t length) {
  post(true, handle, address, length);
}

std::uint64_t virtual_interface_queue::descriptor_at(bool receives, std::uint64_t slot) const {
  const std::uint64_t in_half = slot * descriptor_form::bytes;
  const std::uint64_t half = descriptor_form::bytes * descriptor_form::slots;
  if (where_.protocol.translation == translation_kind::host) {
    return where_.interface + where_.places.descriptors +
           (2 * std::uint64_t{queue_} + (receives ? 1 : 0)) * half + in_half;
  }
  if (where_.protocol.descriptors == descriptor_kind::fetched) {
    return where_.memory + memory_.descriptors + (receives ? half : 0) + in_half;
  }
  return where_.doorbells + queue_ * doorbell_page + (receives ? receive_doorbell : send_doorbell) +
         descriptor_form::first + in_half;
}

/// The address is of the host's memory where the kernel translates it.
void virtual_interface_queue::post(bool receives, std::uint16_t handle, std::uint64_t address,
                                   std::uint64_t length) {
  const std::uint64_t number = posted_[receives ? 1 : 0]++;
  if (number - ended_[receives ? 1 : 0] >= descriptor_form::slots) {
    throw simulation_error("more than " + std::to_string(descriptor_form::slots) +
                           " descriptors of a queue have not ended; wait for one first");
  }
  const std::uint64_t slot = number % descriptor_form::slots;
  const bool by_kernel = where_.protocol.translation == translation_kind::host;
  if (by_kernel && !kernel_.may_post(process_, handle, address, length)) {
    throw simulation_error("the kernel refuses " + std::to_string(length) + " bytes at " +
                           std::to_string(address) + " of region " + std::to_string(handle) +
                           ": they are not in one page of the process");
  }
  const word_t first =
      descriptor_form::address.put(0, by_kernel ? kernel_.host_offset(handle, address) : address);
  const word_t second = descriptor_form::handle.put(descriptor_form::length.put(0, length), handle);
  if (where_.central) {
    post_by_kernel(receives, slot, first, second);
    return;
  }
  const std::uint64_t at = descriptor_at(receives, slot);
  context_.store(at, first);
  context_.store(at + word_bytes, second);
  context_.store_bytes(
      where_.doorbells + queue_ * doorbell_page + (receives ? receive_doorbell : send_doorbell),
      slot, register_bytes);
}

/// One trap, for translation too.
void virtual_interface_queue::post_by_kernel(bool receives, std::uint64_t slot, word_t first,
                                             word_t second) {
  context_.delay(times_.trap);
  const std::uint64_t at = descriptor_at(receives, slot);
  context_.store(at, first);
  context_.store(at + word_bytes, second);
  context_.store_bytes(where_.central_register,
                       word_t{queue_} << central_shift | slot | (receives ? receive_flag : 0),
                       register_bytes);
}

word_t virtual_interface_queue::wait(bool receives) {
  const std::uint64_t number = ended_[receives ? 1 : 0]++;
  const std::uint64_t at =
      where_.memory + memory_.statuses +
      ((receives ? descriptor_form::slots : 0) + number % descriptor_form::slots) * word_bytes;
  while (true) {
    context_.delay(times_.poll);
    const word_t status = context_.load(at);
    if (status_form::is_there.in(status) == 0) continue;
    context_.store(at, 0);
    return status;
  }
}

}  // namespace tributary

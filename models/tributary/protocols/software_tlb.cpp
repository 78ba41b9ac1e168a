// SPDX-License-Identifier: Apache-2.0
#include <tributary/protocols/software_tlb.h>

#include <string>

#include <tributary/controller/cost_table.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

constexpr word_t valid = 1;  // of a tag

translated result_of(page_access access, bool write) {
  switch (access) {
    case page_access::write:
      break;
    case page_access::read:
      return write ? translated::missing : translated::found;
    case page_access::read_and_no_write:
      return write ? translated::refused : translated::found;
    case page_access::none:
      return translated::refused;
  }
  return translated::found;
}

void check_power_of_two(const char* key, std::uint32_t value) {
  if (value != 0 && (value & (value - 1)) == 0) return;
  throw configuration_error(configuration_problem{
      key, "", std::to_string(value) + " is not a power of two", "a power of two", "choose one"});
}

}  // namespace

void software_tlb_costs::bind(parameter_set& parameters) {
  cost_binder add(parameters);
  add("lookup", lookup, "A lookup: 8 (FLASH 4.2.1).");
  add("probe", probe, "Each entry looked at: 7 (FLASH 4.2.1).");
}

void software_tlb_config::bind(parameter_set& parameters) {
  parameters.add("ways", ways, {1, 1024}, "entries",
                 "Entries that are searched one after the other (FLASH 4.2.1: 1 to 16).");
  parameters.add("buckets", buckets, {1, 65536}, "buckets", "Buckets, a power of two.");
}

void software_tlb_config::validate() const {
  check_ranges(*this);
  check_power_of_two("software_tlb.buckets", buckets);
  check_power_of_two("software_tlb.page_bytes", page_bytes);
}

software_tlb::software_tlb(const software_tlb_config& config, const software_tlb_costs& costs)
    : config_(config), costs_(costs) {
  config_.validate();
}

std::uint64_t software_tlb::storage_bytes() const {
  const std::uint64_t buckets = config_.buckets;
  return buckets * config_.ways * entry_bytes + buckets * word_bytes;
}

word_t software_tlb::tag(std::uint64_t virtual_address, std::uint8_t process) const {
  return (virtual_address / config_.page_bytes) << 9 | word_t{process} << 1 | valid;
}

std::uint64_t software_tlb::bucket(std::uint64_t virtual_address) const {
  const std::uint64_t chosen = virtual_address / config_.page_bytes % config_.buckets;
  return base_ + chosen * config_.ways * entry_bytes;
}

std::optional<std::uint64_t> software_tlb::entry_with(handler_context& context,
                                                      std::uint64_t bucket, word_t tag) const {
  for (std::uint32_t way = 0; way < config_.ways; ++way) {
    context.spend(costs_.probe);
    const std::uint64_t entry = bucket + way * entry_bytes;
    if (context.load(entry) == tag) return entry;
  }
  return std::nullopt;
}

translation_lookup software_tlb::find(handler_context& context, std::uint64_t virtual_address,
                                      std::uint8_t process, bool write) const {
  context.spend(costs_.lookup);
  const auto entry = entry_with(context, bucket(virtual_address), tag(virtual_address, process));
  if (!entry) return {};
  const word_t page = context.load(*entry + 8);
  const auto access = static_cast<page_access>(page & page_access_mask);
  return {result_of(access, write),
          {(page & ~page_access_mask) + virtual_address % config_.page_bytes, access}};
}

void software_tlb::enter(handler_context& context, std::uint64_t virtual_address,
                         std::uint8_t process, const translation& page) const {
  const std::uint64_t first = bucket(virtual_address);
  const word_t wanted = tag(virtual_address, process);
  auto found = entry_with(context, first, wanted);
  if (!found) found = entry_with(context, first, 0);
  const std::uint64_t entry = found ? *found : next_victim(context, first);
  context.store(entry, wanted);
  context.store(entry + 8, (page.address - page.address % config_.page_bytes) |
                               static_cast<word_t>(page.access));
}

/// By turns, so that the pages of one command do not put each other out for ever.
std::uint64_t software_tlb::next_victim(handler_context& context, std::uint64_t bucket) const {
  const std::uint64_t bytes = config_.ways * entry_bytes;
  const std::uint64_t turns = base_ + config_.buckets * bytes;
  const std::uint64_t turn = turns + (bucket - base_) / bytes * word_bytes;
  const word_t way = context.load(turn);
  context.store(turn, (way + 1) % config_.ways);
  return bucket + way * entry_bytes;
}

void software_tlb::remove(handler_context& context, std::uint64_t virtual_address,
                          std::uint8_t process) const {
  const auto entry = entry_with(context, bucket(virtual_address), tag(virtual_address, process));
  if (entry) context.store(*entry, 0);
}

}  // namespace tributary

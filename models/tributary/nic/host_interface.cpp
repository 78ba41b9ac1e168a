// SPDX-License-Identifier: Apache-2.0
#include <tributary/nic/host_interface.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <tributary/controller/fiber_protocol.h>
#include <tributary/nic/host_interface_events.h>
#include <tributary/nic/host_interface_wakes.h>
#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>
#include <tributary/trace/catalog.h>

namespace tributary {

namespace {

/// Firmware lies in front of the pages of doorbells.
protocol_site site_of(const host_interface_config& config, node_id here, std::uint32_t nodes) {
  protocol_site site;
  site.node = here;
  site.nodes = nodes;
  site.memory_bytes = config.pages_at();
  return site;
}

const host_interface_config& checked(const host_interface_config& config,
                                     const network_port& network) {
  config.validate();
  if (network.payload_bytes() < config.packet_bytes) {
    throw configuration_error(
        {"network.payload_bytes", "", fmt::format("{} hold no packet", network.payload_bytes()),
         fmt::format("at least interface.packet_bytes = {}", config.packet_bytes), "raise it"});
  }
  require_order(network.reorder_window(), "host interfaces");
  return config;
}

}  // namespace

// --- its memory ----------------------------------------------------------------------------------

void interface_memory::check(std::uint64_t offset) const {
  if (offset % word_bytes == 0 && offset < bytes_) return;
  throw simulation_error(
      fmt::format("an access at offset {:#x} of an interface's memory, which has words at "
                  "multiples of 8 from 0 "
                  "to {:#x}",
                  offset, bytes_ - word_bytes));
}

word_t interface_memory::read(std::uint64_t offset) const {
  check(offset);
  return words_.read(offset);
}

void interface_memory::write(std::uint64_t offset, word_t value) {
  check(offset);
  words_.write(offset, value);
}

// --- the interface -------------------------------------------------------------------------------

host_interface::host_interface(const host_interface_config& config, const address_layout& addresses,
                               node_id here, std::uint32_t nodes, agenda& time,
                               network_port& network, host_packet_pool& packets, word_memory& host,
                               std::uint64_t host_bytes,
                               std::vector<std::unique_ptr<protocol>> firmware)
    : config_(checked(config, network)),
      addresses_(addresses),
      here_(here),
      agenda_(time),
      network_(network),
      packets_(packets),
      host_(host),
      host_bytes_(host_bytes),
      protocols_(site_of(config, here, nodes), std::move(firmware)),
      table_({}, protocols_.rules(), addresses, here),
      memory_(config.memory_bytes),
      staging_(config.staging, config.packet_bytes / word_bytes),
      gate_(time, network, *this),
      transmitter_(config, time, here, network, gate_, packets, *this),
      dma_(config, time, host),
      doorbells_(config) {
  const char* const names[] = {"sender", "receiver"};
  const firmware_processor::units units{memory_, config_.memory_bytes, staging_, *this};
  for (std::uint32_t i = 0; i < config_.processors; ++i) {
    executors_.push_back(
        std::make_unique<fiber_executor>(here, addresses_, handlers_of(protocols_)));
    processors_.push_back(std::make_unique<firmware_processor>(
        config_.processors == 1 ? "firmware" : names[i], time, here, addresses_, protocols_,
        *executors_.back(), units));
    blocks_.add(*processors_.back());
  }
  for (block* const each : {static_cast<block*>(&transmitter_), static_cast<block*>(&dma_),
                            static_cast<block*>(&gate_)}) {
    blocks_.add(*each);
  }
  protocols_.initialize(memory_);
  agenda_.enroll(*this);
}

void host_interface::fail(cycle_t now, const std::string& problem) const {
  throw simulation_error(
      fmt::format("host interface of node {}, cycle {}: {}", index(here_), now, problem));
}

// --- work of the firmware ------------------------------------------------------------------------

void host_interface::wake(cycle_t now, std::uint64_t tag) {
  if (tag == host_interface_wakes::wake_access) {
    finish_access(now);
  } else {
    look(now);
  }
}

void host_interface::look(cycle_t now) {
  if (!shares_processor()) {
    look_for_packets(now);
    look_for_posts(now);
    return;
  }
  if (sending().running()) return;
  const bool found = receives_next_ ? look_for_packets(now) || look_for_posts(now)
                                    : look_for_posts(now) || look_for_packets(now);
  if (found) receives_next_ = !receives_next_;
}

/// Whether it began a handler.
bool host_interface::look_for_posts(cycle_t now) {
  if (sending().running() || !transmitter_.free() || !enabled_) return false;
  if (!deferred_.empty()) {
    const deferred next = deferred_.front();
    deferred_.pop();
    sending().begin(next.run, next.with, now);
    return true;
  }
  if (finding_ && !doorbells_.is_there(found_)) finding_ = false;
  if (doorbells_.empty()) return false;
  if (!finding_) {
    finding_ = true;
    found_ = doorbells_.find(std::min(idle_from_, now), now);
    found_at_ = now + found_.looks * config_.scan_cycles;
    agenda_.wake(*this, std::max(found_at_, now + 1), host_interface_wakes::wake_look);
    return false;
  }
  if (found_at_ > now || staging_.free() == 0) return false;
  begin_post(now);
  return true;
}

void host_interface::begin_post(cycle_t now) {
  finding_ = false;
  const doorbell_post found = doorbells_.take(found_);
  noticed_.add(now - found.rung);
  message posted;
  posted.address =
      addresses_.address_of(here_, doorbell_space, found.queue * doorbell_page + found.place);
  posted.source = posted.destination = here_;
  posted.type = static_cast<std::uint8_t>(common_type::uncached_write);
  posted.origin = message_origin::processor;
  posted.length = word_bytes;
  posted.data = *staging_.allocate();
  staging_.words(posted.data)[0] = found.value;
  begin(sending(), posted, now);
  if (stalled_) finish_access(now);
}

bool host_interface::look_for_packets(cycle_t now) {
  if (receiving().running() || staging_.free() == 0) return false;
  const std::uint32_t lanes = network_.lanes();
  for (std::uint32_t i = 0; i < lanes; ++i) {
    const auto lane = static_cast<std::uint8_t>((next_lane_ + i) % lanes);
    if (gate_.oldest(lane, now) == nullptr) continue;
    next_lane_ = static_cast<std::uint8_t>((lane + 1) % lanes);
    begin_packet(lane, now);
    return true;
  }
  return false;
}

void host_interface::begin_packet(std::uint8_t lane, cycle_t now) {
  const network_transfer came = gate_.take_oldest(lane, now);
  const host_packet packet = packets_.at(came.cargo);
  packets_.remove(came.cargo);
  ++received_;
  message header = packet.header;
  header.origin = message_origin::network;
  header.data = no_payload;
  if (header.length != 0) {
    header.data = *staging_.allocate();
    std::copy(packet.words.begin(), packet.words.end(), staging_.words(header.data).begin());
    staging_.bytes(header.data) = header.length;
  }
  begin(receiving(), header, now);
}

void host_interface::begin(firmware_processor& on, const message& with, cycle_t now) {
  const std::optional<jump_table_entry> found = table_.find(with, true);
  if (!found) {
    fail(now, fmt::format("no firmware serves a message of type {} of node {}, address {:#x}; give "
                          "the interface a protocol that does",
                          with.type, index(with.source), with.address));
  }
  on.begin(found->run, with, now);
}

void host_interface::put_off(handler_id run, const message& with, cycle_t /*now*/) {
  deferred_.push({run, with});
}

void host_interface::interrupt_host(std::uint64_t line, cycle_t now) {
  if (interrupted_ != nullptr) interrupted_->interrupted(static_cast<std::uint32_t>(line), now + 1);
}

void host_interface::handler_ended(cycle_t now) {
  if (!sending().running() && !finding_) idle_from_ = std::max(idle_from_, sending().free_since());
  agenda_.wake(*this, now, host_interface_wakes::wake_look);
}

void host_interface::transmitter_free(cycle_t now) {
  if (!sending().running() && !finding_) idle_from_ = now;
  look(now);
}

void host_interface::departed(const network_transfer& /*message*/, cycle_t now) {
  transmitter_.departed(now);
}

// --- as a block ----------------------------------------------------------------------------------

bool host_interface::idle() const {
  return accesses_.empty() && doorbells_.empty() && deferred_.empty() && blocks_.idle();
}

void host_interface::reset_statistics() {
  reset_all(pio_writes_, pio_reads_, posts_, refused_posts_, stalled_posts_, received_, noticed_);
  doorbells_.reset_statistics();
  blocks_.reset_statistics();
}

void host_interface::report(statistics_group& into, std::uint64_t cycles) const {
  into.add("pio_writes", pio_writes_, "accesses", "Writes of 4 bytes by the host.");
  into.add("pio_reads", pio_reads_, "accesses", "Its reads of 4 bytes.");
  into.add("posts", posts_, "posts", "Writes to doorbells.");
  into.add("stalled_posts", stalled_posts_, "posts", "Those of them that waited for a place.");
  into.add("refused_posts", refused_posts_, "posts", "Writes to doorbells that are not active.");
  into.add("looks", doorbells_.looks(), "looks", "Of the firmware at doorbells, to find posts.");
  into.add("noticed", noticed_, "cycles", "From a post until the firmware began with it.");
  into.add("received", received_, "packets", "Packets that the firmware took.");
  blocks_.report(into, cycles);
}

void host_interface::trace(const trace_scope& scope) { blocks_.trace(scope.below(name())); }

std::string host_interface::save() const { return save_state(save_state(*this), blocks_.save()); }

void host_interface::restore(const std::string& state) {
  std::string own;
  std::string blocks;
  restore_state(state, own, blocks);
  restore_state(own, *this);
  blocks_.restore(blocks);
  require_state(next_lane_ < network_.lanes(), "a lane does not exist");
}

}  // namespace tributary

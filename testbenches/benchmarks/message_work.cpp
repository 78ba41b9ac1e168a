// SPDX-License-Identifier: Apache-2.0
#include "message_work.h"

#include <cstddef>
#include <string>

#include <tributary/memory/port.h>
#include <tributary/network/lane_gate.h>
#include <tributary/nic/interface_registers.h>
#include <tributary/nic/message_attachment.h>
#include <tributary/sim/agenda.h>

namespace tributary::benchmarks {
namespace {

namespace registers = interface_registers;

constexpr std::uint64_t memory_bytes = 65536;
constexpr std::uint64_t landing = 4096;  // where bodies go, virtual and in memory
constexpr word_t body_word = 77;

node_id neighbour_of(std::uint32_t node, std::uint32_t nodes) {
  return node_id{(node + 1) % nodes};
}

message_attachment_config attachment_of(std::uint32_t bytes) {
  message_attachment_config config;
  config.memory_bytes = memory_bytes;
  if (bytes > config.interface.packet_bytes) config.interface.packet_bytes = bytes;
  return config;
}

}  // namespace

message_network_config message_work_network() {
  message_network_config config;
  config.lanes = 2;
  config.topology = topology_kind::point_to_point;
  return config;
}

// --- over interfaces -----------------------------------------------------------------------------

/// The accesses of one message, over and over.
class interface_messages::writer final : public memory_client {
 public:
  writer(attached_node& node, std::uint32_t here, std::uint32_t nodes, std::uint32_t bytes)
      : node_(node) {
    interface_header header;
    header.type = communication_message::write;
    header.destination = neighbour_of(here, nodes);
    header.size = bytes;
    add(registers::send_header, registers::header_word(header, header.destination));
    add(registers::send_address, landing);
    add(registers::send_counter, 0);
    for (std::uint32_t i = 0; i < body_words(bytes); ++i) add(registers::send_data, body_word);
    node_.attachment().port().set_client(this);
    map();
  }

  std::uint64_t written() const { return written_; }

 private:
  void add(std::uint64_t at, word_t value) {
    accesses_.push_back(posted_store(interface_space + at, value));
  }
  /// Its own page, then it looks for room.
  void map() {
    namespace fills = registers::fill_fields;
    ask(posted_store(interface_space + registers::translation_page, landing / 4096), 0);
    const word_t fill = fills::valid.put(fills::page.put(0, landing / 4096), 1);
    ask(posted_store(interface_space + registers::translation_fill, fill), 0);
    mapping_ = 2;
  }
  void ask(const access& asked, cycle_t now) { node_.attachment().port().offer(0, asked, now); }

  void completed(const completion& ended, cycle_t now) override {
    if (mapping_ != 0 && --mapping_ != 0) return;
    const bool has_looked = looks_ && registers::status_fields::request_room.in(ended.value) != 0;
    if (next_ == accesses_.size()) {
      ++written_;
      next_ = 0;
    }
    looks_ = next_ == 0 && !has_looked;
    if (looks_) {
      access status;
      status.address = interface_space + registers::status;
      ask(status, now);
    } else {
      ask(accesses_[next_++], now);
    }
  }
  void room(std::size_t, cycle_t) override {}

  attached_node& node_;
  std::vector<access> accesses_;
  std::size_t next_ = 0;
  unsigned mapping_ = 0;
  bool looks_ = false;
  std::uint64_t written_ = 0;
};

interface_messages::interface_messages(std::uint32_t nodes, std::uint32_t bytes)
    : machine_("messages", message_work_network(), nodes, messages_,
               [this, bytes](const attachment_place& place) {
                 return std::make_unique<message_attachment>(attachment_of(bytes), address_layout(),
                                                             place, messages_);
               }) {
  for (std::uint32_t i = 0; i < nodes; ++i) {
    writers_.push_back(std::make_unique<writer>(machine_.node(i), i, nodes, bytes));
  }
}

interface_messages::~interface_messages() = default;

void interface_messages::step(std::uint64_t messages) {
  const std::uint64_t last = written() + messages;
  machine_.run_until(never, [&] { return written() >= last; });
}

std::uint64_t interface_messages::written() const {
  std::uint64_t sum = 0;
  for (const auto& each : writers_) sum += each->written();
  return sum;
}

word_t interface_messages::received(std::uint32_t node) const {
  return machine_.node(node).attachment().peek(landing);
}

// --- the network alone ---------------------------------------------------------------------------

class bare_messages::node final : public stepped_node,
                                  private lane_gate_client,
                                  private timed_block {
 public:
  node(node_loop& loop, interface_pool& messages, std::uint32_t here, std::uint32_t nodes,
       std::uint32_t bytes)
      : name_("node." + std::to_string(here)),
        messages_(messages),
        port_(loop.port(node_id{here})),
        gate_(agenda_, port_, *this) {
    interface_message sent;
    sent.header.type = communication_message::write;
    sent.header.size = bytes;
    sent.body.resize(body_words(bytes), body_word);
    next_.source = node_id{here};
    next_.destination = neighbour_of(here, nodes);
    next_.bytes = sent.buffer_bytes();
    sent_ = sent;
    loop.add(*this);
    agenda_.wake(*this, 1, 0, wake_rank::processor);
  }

  std::uint64_t received() const { return received_; }

  cycle_t next_wakeup() const override { return agenda_.next_wakeup(); }
  void advance_to(cycle_t last) override { agenda_.advance_to(last); }
  void follow(const cycle_t& over, cycle_t& due) override { agenda_.follow(over, 1, due); }
  void show(current_activity* activity) override { agenda_.show(activity); }
  network_endpoint& endpoint() override { return gate_; }

  /// Of both of its bases.
  const char* name() const override { return name_.c_str(); }
  bool idle() const override { return false; }
  void reset_statistics() override {}
  void report(statistics_group&, std::uint64_t) const override {}
  std::string save() const override { return {}; }
  void restore(const std::string&) override {}

 private:
  void wake(cycle_t now, std::uint64_t) override {
    next_.cargo = messages_.put(sent_);
    gate_.send(next_, now);
  }
  void departed(const network_transfer&, cycle_t) override {
    agenda_.wake(*this, port_.free_at(), 0, wake_rank::processor);
  }
  void arrived(const network_transfer&, cycle_t) override {}
  bool take(const network_transfer& message, cycle_t) override {
    messages_.remove(message.cargo);
    ++received_;
    return true;
  }

  std::string name_;
  interface_pool& messages_;
  agenda agenda_;
  network_port& port_;
  lane_gate gate_;
  network_transfer next_;
  interface_message sent_;
  std::uint64_t received_ = 0;
};

bare_messages::bare_messages(std::uint32_t nodes, std::uint32_t bytes)
    : loop_(message_work_network(), nodes, messages_) {
  for (std::uint32_t i = 0; i < nodes; ++i) {
    nodes_.push_back(std::make_unique<node>(loop_, messages_, i, nodes, bytes));
  }
}

bare_messages::~bare_messages() = default;

void bare_messages::step(std::uint64_t messages) {
  const std::uint64_t last = arrived() + messages;
  loop_.run_until(never, [&] { return arrived() >= last; }, {});
}

std::uint64_t bare_messages::arrived() const {
  std::uint64_t sum = 0;
  for (const auto& each : nodes_) sum += each->received();
  return sum;
}

}  // namespace tributary::benchmarks

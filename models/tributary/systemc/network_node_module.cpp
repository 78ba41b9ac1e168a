// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/network_node_module.h>

#include <algorithm>
#include <utility>

#include <tributary/sim/fifo.h>
#include <tributary/systemc/messages.h>
#include <tributary/systemc/network_transfer_extension.h>
#include <tributary/systemc/socket_ends.h>

namespace tributary {

// To the network, one lane.

class network_node_module::outgoing_lane final : public initiator_end {
 public:
  outgoing_lane(network_node_module& owner, std::uint8_t lane) : owner_(owner), lane_(lane) {
    owner_.to_network[lane_].bind(*this);
  }

  bool open(cycle_t now) const { return open_from_ <= now; }

  void send(const network_transfer& transfer) {
    tlm::tlm_generic_payload& payload = owner_.payloads_.acquire();
    payload.set_streaming_width(word_bytes);  // of what has no data: it may not be 0
    reused_extension<network_transfer_extension>(payload).transfer = transfer;
    if (transfer.operation.is != operation_part::none) {
      payload.set_address(0);
    } else {
      owner_.load(payload, transfer.cargo);
    }
    open_from_ = never;
    sending_ = true;
    begin(*owner_.to_network[lane_].operator->(), payload, sc_core::SC_ZERO_TIME);
    sending_ = false;
  }

 private:
  const char* socket_name() const override { return owner_.to_network[lane_].name(); }
  void request_ended(const sc_core::sc_time& delay) override {
    open_from_ = owner_.first_after(delay);
    tell_room(open_from_);
  }

  void message_ended(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay) override {
    if (payload.is_response_error()) {
      owner_.report_failure((std::string(owner_.to_network[lane_].name()) +
                             ": a message was refused with " + payload.get_response_string())
                                .c_str());
    }
    payload.release();
    tell_room(owner_.first_after(delay));
  }

  void tell_room(cycle_t at) {
    // After a departure the interface looks again by itself when the link is free.
    if (sending_ && at <= owner_.now() + 1) return;
    owner_.endpoint_->room(lane_, at);
    owner_.look();
  }

  network_node_module& owner_;
  std::uint8_t lane_;
  cycle_t open_from_ = 0;
  bool sending_ = false;
};

// From the network, one lane.

class network_node_module::incoming_lane final : public target_end {
 public:
  incoming_lane(network_node_module& owner, std::uint8_t lane) : owner_(owner), lane_(lane) {
    owner_.from_network[lane_].bind(*this);
  }

  bool idle() const { return inside_.empty() && responses_.idle(); }

  /// The oldest message leaves its place in this cycle.
  void give_back() {
    if (inside_.empty()) return;
    tlm::tlm_generic_payload& payload = *inside_.front();
    inside_.pop();
    if (requesting_ == &payload) {
      requesting_ = nullptr;  // BEGIN_RESP says it too
    } else if (requesting_ != nullptr) {
      tlm::tlm_generic_payload& held = *requesting_;
      requesting_ = nullptr;
      tlm::tlm_phase phase = tlm::END_REQ;
      sc_core::sc_time delay = delay_to(request_begins_);
      owner_.from_network[lane_]->nb_transport_bw(held, phase, delay);
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    responses_.respond(payload, time());
  }

 private:
  const char* socket_name() const override { return owner_.from_network[lane_].name(); }

  tlm::tlm_response_status check(const tlm::tlm_generic_payload& payload) const override {
    const auto* const transfer = payload.get_extension<network_transfer_extension>();
    const bool has_content =
        owner_.carries(payload) ||
        (transfer != nullptr && transfer->transfer.operation.is != operation_part::none);
    if (transfer == nullptr || !has_content || payload.get_command() != tlm::TLM_IGNORE_COMMAND) {
      return tlm::TLM_COMMAND_ERROR_RESPONSE;
    }
    const bool is_ours =
        transfer->transfer.destination == owner_.place_.here && transfer->transfer.lane == lane_;
    return is_ours ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE;
  }

  tlm::tlm_sync_enum begin_request(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                   sc_core::sc_time& delay) override {
    inside_.push(&payload);
    arrive(payload, owner_.first_after(delay));
    if (inside_.size() >= owner_.place_.network.endpoint_buffers) {
      requesting_ = &payload;
      request_begins_ = effective(delay);
      return tlm::TLM_ACCEPTED;
    }
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }

  void arrive(const tlm::tlm_generic_payload& payload, cycle_t head) {
    network_transfer transfer = payload.get_extension<network_transfer_extension>()->transfer;
    if (transfer.operation.is == operation_part::none) {
      transfer.cargo = owner_.unload(payload);
    }
    const cycle_t tail = head + owner_.place_.network.wire_cycles(transfer.bytes);
    owner_.endpoint_->arrive(transfer, head, tail);
    owner_.look();
  }

  network_node_module& owner_;
  std::uint8_t lane_;
  fifo<tlm::tlm_generic_payload*> inside_;  // without BEGIN_RESP
  std::uint64_t request_begins_ = 0;
};

// The node's place in the network, as its interface sees it.

class network_node_module::link final : public network_port {
 public:
  explicit link(network_node_module& owner) : owner_(owner) {
    for (std::uint8_t lane = 0; lane < lanes(); ++lane) {
      out_.push_back(std::make_unique<outgoing_lane>(owner, lane));
      in_.push_back(std::make_unique<incoming_lane>(owner, lane));
    }
  }

  std::uint32_t lanes() const override { return owner_.place_.network.lanes; }
  bool combines() const override { return owner_.place_.network.combines(); }
  bool broadcasts() const override { return owner_.place_.network.broadcast; }
  std::uint32_t reorder_window() const override { return owner_.place_.network.reorder_window; }
  std::uint32_t payload_bytes() const override { return owner_.place_.network.payload_bytes; }
  bool ready(std::uint8_t lane, cycle_t now) const override {
    return free_at_ <= now && out_[lane]->open(now);
  }
  cycle_t free_at() const override { return free_at_; }
  void send(const network_transfer& transfer, cycle_t now) override {
    free_at_ = now + wire_cycles(transfer.bytes) + owner_.place_.network.gap_cycles();
    out_[transfer.lane]->send(transfer);
  }
  std::uint64_t wire_cycles(std::uint64_t bytes) const override {
    return owner_.place_.network.wire_cycles(bytes);
  }
  void give_back(std::uint8_t lane, cycle_t) override { in_[lane]->give_back(); }

  void connect() {
    for (std::size_t lane = 0; lane < in_.size(); ++lane) {
      in_[lane]->connect(*owner_.from_network[lane].operator->(), owner_.resume_);
    }
  }
  void resume() {
    for (const auto& each : in_) each->resume();
  }
  bool idle() const {
    return std::all_of(in_.begin(), in_.end(), [](const auto& each) { return each->idle(); });
  }

 private:
  network_node_module& owner_;
  std::vector<std::unique_ptr<outgoing_lane>> out_;
  std::vector<std::unique_ptr<incoming_lane>> in_;
  cycle_t free_at_ = 0;
};

// The module.

network_node_module::network_node_module(const sc_core::sc_module_name& name,
                                         const network_node_place& place)
    : event_driven_module(name, sc_period(place.network.clock)),
      to_network("to_network", place.network.lanes),
      from_network("from_network", place.network.lanes),
      place_(make_or_report(*this, messages::configuration,
                            [&] {
                              place.network.validate(place.nodes);
                              return place;
                            })),
      link_(std::make_unique<link>(*this)) {
  SC_METHOD(resume);
  sensitive << resume_;
  dont_initialize();
}

network_node_module::~network_node_module() = default;

void network_node_module::join(message_network_module& network) {
  for (std::size_t lane = 0; lane < place_.network.lanes; ++lane) {
    const std::size_t there = network.lane_of(place_.here, lane);
    to_network[lane].bind(network.from_nodes[there]);
    network.to_nodes[there].bind(from_network[lane]);
  }
}

network_port& network_node_module::port() { return *link_; }

bool network_node_module::lanes_idle() const { return link_->idle(); }

void network_node_module::end_of_elaboration() { link_->connect(); }

void network_node_module::resume() {
  link_->resume();
  resume_sockets();
}

}  // namespace tributary

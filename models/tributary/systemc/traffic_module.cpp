// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/traffic_module.h>

#include <string>
#include <vector>

#include <tributary/sim/error.h>
#include <tributary/sim/fifo.h>
#include <tributary/systemc/messages.h>
#include <tributary/systemc/network_transfer_extension.h>
#include <tributary/systemc/payload_pool.h>
#include <tributary/systemc/socket_ends.h>

namespace tributary {

/// The network as hosts see it, whose inside is behind the sockets.
class traffic_module::far_network final : public message_network {
 public:
  far_network(traffic_module& owner, const message_network_config& config, std::uint32_t hosts);

  bool ready(node_id node, std::uint8_t lane, cycle_t now) const override;
  cycle_t free_at(node_id node) const override { return free_at_[index(node)]; }
  cycle_t place_at(node_id node, std::uint8_t lane) const override;
  void send(const network_transfer& transfer, cycle_t now) override;
  void give_back(node_id node, std::uint8_t lane, cycle_t now) override;

  // Only the modules know when something happens.
  cycle_t next_wakeup() const override { return never; }
  void advance_to(cycle_t last) override { now_ = last; }
  cycle_t now() const override { return now_; }
  std::size_t under_way() const override { return under_way_; }
  void reset_statistics() override {}
  void report(statistics_group&, std::uint64_t) const override {}
  std::string save() const override { refuse_checkpoints(); }
  void restore(const std::string&) override { refuse_checkpoints(); }

  void room(node_id node, std::uint8_t lane, cycle_t at) { endpoint(node)->room(lane, at); }
  void arrive(const network_transfer& transfer, cycle_t head) {
    --under_way_;
    deliver(transfer, head, now_);
  }
  payload_pool& payloads() { return payloads_; }

  void make_ends();
  void connect();
  void resume();

 private:
  [[noreturn]] static void refuse_checkpoints() {
    throw error("SystemC modules cannot be saved or restored; do that in the plain loop");
  }
  std::size_t lane_of(node_id node, std::uint8_t lane) const {
    return std::size_t{index(node)} * lanes() + lane;
  }

  traffic_module& owner_;
  payload_pool payloads_;
  std::vector<std::unique_ptr<outlet>> outlets_;
  std::vector<std::unique_ptr<inlet>> inlets_;
  std::vector<cycle_t> free_at_;  // by host: its link
  std::size_t under_way_ = 0;     // copies
  cycle_t now_ = 0;
};

// To the network, one lane of a host.

class traffic_module::outlet final : public initiator_end {
 public:
  outlet(traffic_module& owner, node_id host, std::uint8_t lane)
      : owner_(owner), host_(host), lane_(lane) {
    socket().bind(*this);
  }

  cycle_t open_from() const { return open_from_; }

  void send(const network_transfer& transfer) {
    tlm::tlm_generic_payload& payload = owner_.network_->payloads().acquire();
    payload.set_streaming_width(word_bytes);  // of what has no data: it may not be 0
    reused_extension<network_transfer_extension>(payload).transfer = transfer;
    reused_extension<traffic_packet_extension>(payload).packet = transfer.cargo;
    open_from_ = never;
    sending_ = true;
    begin(*socket().operator->(), payload, sc_core::SC_ZERO_TIME);
    sending_ = false;
  }

 private:
  tlm::tlm_initiator_socket<>& socket() const {
    return owner_.to_network[owner_.lane_of(host_, lane_)];
  }
  const char* socket_name() const override { return socket().name(); }

  void request_ended(const sc_core::sc_time& delay) override {
    open_from_ = owner_.first_after(delay);
    tell_room(open_from_);
  }
  void message_ended(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay) override {
    if (payload.is_response_error()) {
      owner_.report_failure((std::string(socket().name()) + ": a packet was refused with " +
                             payload.get_response_string())
                                .c_str());
    }
    payload.release();
    tell_room(owner_.first_after(delay));
  }
  void tell_room(cycle_t at) {
    // After a departure the host looks again by itself when its link is free.
    if (sending_ && at <= owner_.now() + 1) return;
    owner_.network_->room(host_, lane_, at);
    owner_.look();
  }

  traffic_module& owner_;
  node_id host_;
  std::uint8_t lane_;
  cycle_t open_from_ = 0;
  bool sending_ = false;
};

// From the network, one lane of a host.

class traffic_module::inlet final : public target_end {
 public:
  inlet(traffic_module& owner, node_id host, std::uint8_t lane)
      : owner_(owner), host_(host), lane_(lane) {
    socket().bind(*this);
  }

  /// The oldest packet leaves its place in this cycle.
  void give_back() {
    tlm::tlm_generic_payload& payload = *inside_.front();
    inside_.pop();
    if (requesting_ == &payload) {
      requesting_ = nullptr;  // BEGIN_RESP says it too
    } else if (requesting_ != nullptr) {
      tlm::tlm_generic_payload& held = *requesting_;
      requesting_ = nullptr;
      tlm::tlm_phase phase = tlm::END_REQ;
      sc_core::sc_time delay = delay_to(request_begins_);
      socket()->nb_transport_bw(held, phase, delay);
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    responses_.respond(payload, time());
  }

 private:
  tlm::tlm_target_socket<>& socket() const {
    return owner_.from_network[owner_.lane_of(host_, lane_)];
  }
  const char* socket_name() const override { return socket().name(); }

  tlm::tlm_response_status check(const tlm::tlm_generic_payload& payload) const override {
    const auto* const message = payload.get_extension<network_transfer_extension>();
    if (message == nullptr || payload.get_extension<traffic_packet_extension>() == nullptr ||
        payload.get_command() != tlm::TLM_IGNORE_COMMAND) {
      return tlm::TLM_COMMAND_ERROR_RESPONSE;
    }
    const bool is_ours = message->transfer.destination == host_ && message->transfer.lane == lane_;
    return is_ours ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE;
  }

  tlm::tlm_sync_enum begin_request(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                   sc_core::sc_time& delay) override {
    inside_.push(&payload);
    network_transfer transfer = payload.get_extension<network_transfer_extension>()->transfer;
    transfer.cargo = payload.get_extension<traffic_packet_extension>()->packet;
    owner_.network_->arrive(transfer, owner_.first_after(delay));
    owner_.look();
    if (inside_.size() >= owner_.network_->config().endpoint_buffers) {
      requesting_ = &payload;
      request_begins_ = effective(delay);
      return tlm::TLM_ACCEPTED;
    }
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }

  traffic_module& owner_;
  node_id host_;
  std::uint8_t lane_;
  fifo<tlm::tlm_generic_payload*> inside_;  // without BEGIN_RESP
  std::uint64_t request_begins_ = 0;
};

// All lanes.

traffic_module::far_network::far_network(traffic_module& owner,
                                         const message_network_config& config, std::uint32_t hosts)
    : message_network(config, hosts), owner_(owner), free_at_(hosts) {
  owner.to_network.init(std::size_t{hosts} * config.lanes);
  owner.from_network.init(std::size_t{hosts} * config.lanes);
}

void traffic_module::far_network::make_ends() {
  for (std::uint32_t h = 0; h < nodes(); ++h) {
    for (std::uint8_t lane = 0; lane < lanes(); ++lane) {
      outlets_.push_back(std::make_unique<outlet>(owner_, node_id{h}, lane));
      inlets_.push_back(std::make_unique<inlet>(owner_, node_id{h}, lane));
    }
  }
}

void traffic_module::far_network::connect() {
  for (std::size_t i = 0; i < inlets_.size(); ++i) {
    inlets_[i]->connect(*owner_.from_network[i].operator->(), owner_.resume_);
  }
}

void traffic_module::far_network::resume() {
  for (const auto& each : inlets_) each->resume();
}

bool traffic_module::far_network::ready(node_id node, std::uint8_t lane, cycle_t now) const {
  return free_at_[index(node)] <= now && place_at(node, lane) <= now;
}

cycle_t traffic_module::far_network::place_at(node_id node, std::uint8_t lane) const {
  return outlets_[lane_of(node, lane)]->open_from();
}

void traffic_module::far_network::send(const network_transfer& transfer, cycle_t now) {
  check_transfer(transfer, now);
  free_at_[index(transfer.source)] = now + wire_cycles(transfer.bytes) + config().gap_cycles();
  under_way_ += transfer.everyone ? copies() : 1;
  outlets_[lane_of(transfer.source, transfer.lane)]->send(transfer);
}

void traffic_module::far_network::give_back(node_id node, std::uint8_t lane, cycle_t) {
  inlets_[lane_of(node, lane)]->give_back();
}

// The module.

traffic_module::traffic_module(const sc_core::sc_module_name& name,
                               const message_network_config& network, std::uint32_t hosts,
                               traffic_kernel& kernel, const endpoint_in_front& in_front)
    : event_driven_module(name, sc_period(network.clock)),
      to_network("to_network"),
      from_network("from_network") {
  make_or_report(*this, messages::configuration, [&] {
    network_ = std::make_unique<far_network>(*this, network, hosts);
    network_->make_ends();
    run_ = std::make_unique<traffic_run>(*network_, kernel, in_front);
  });
  SC_METHOD(resume);
  sensitive << resume_;
  dont_initialize();
}

traffic_module::~traffic_module() = default;

std::size_t traffic_module::lane_of(node_id host, std::size_t lane) const {
  return std::size_t{index(host)} * network_->lanes() + lane;
}

void traffic_module::join(message_network_module& network) {
  for (std::size_t i = 0; i < to_network.size(); ++i) {
    to_network[i].bind(network.from_nodes[i]);
    network.to_nodes[i].bind(from_network[i]);
  }
}

void traffic_module::end_of_elaboration() { network_->connect(); }

void traffic_module::reset_statistics() {
  run_->advance_to(now());
  run_->reset_statistics();
}

void traffic_module::resume() { network_->resume(); }

}  // namespace tributary

// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/message_network_module.h>

#include <algorithm>
#include <utility>

#include <tributary/network/choice/network_choice.h>
#include <tributary/sim/error.h>
#include <tributary/sim/fifo.h>
#include <tributary/systemc/lane_outlet.h>
#include <tributary/systemc/messages.h>
#include <tributary/systemc/socket_ends.h>

namespace tributary {

// From a node, one lane.

class message_network_module::inlet final : public target_end {
 public:
  inlet(message_network_module& owner, node_id node, std::uint8_t lane)
      : owner_(owner), node_(node), lane_(lane) {
    socket().bind(*this);
  }

  /// Whether a message that was held went.
  bool start_held(cycle_t now) {
    if (due_ > now || !owner_.core_->ready(node_, lane_, now)) return false;
    start(now);
    if (next_ <= now + 1) end_request();
    return true;
  }
  /// When `start_held` may do something, as far as is known.
  cycle_t held_until() const {
    return std::max({due_, owner_.core_->free_at(node_), owner_.core_->place_at(node_, lane_)});
  }

  /// Ends a request in the cycle before the next may be sent: places that are free earlier than
  /// those that are known may become known until then.
  void end_due_request(cycle_t now) {
    if (started_ && next_ != never && next_ <= now + 1) end_request();
  }
  /// Whether a request waits for that, and in which cycle it will end as far as is known.
  bool waits() const { return started_; }
  cycle_t request_ends() const { return next_ == never ? never : next_ - 1; }

  /// The router has a place more.
  void room(cycle_t at) {
    // The bytes that it frees may be too few for the next.
    next_ = std::min(next_, std::max(at, owner_.core_->place_at(node_, lane_)));
    // A node's lanes may share what was freed.
    if (owner_.sockets_ == joined_to::nodes && !inside_.empty()) respond(at);
  }
  /// The oldest message that has a place leaves it, which is empty from `at` on.
  void respond(cycle_t at) {
    tlm::tlm_generic_payload& oldest = *inside_.front();
    inside_.pop();
    // There is room then, as there was before. BEGIN_RESP, which would say it too, may be later.
    if (started_ && requesting_ == &oldest) end_request();
    oldest.set_response_status(tlm::TLM_OK_RESPONSE);
    responses_.respond(oldest, owner_.time_of(at - 1));
  }

 private:
  tlm::tlm_target_socket<>& socket() const {
    return owner_.from_nodes[owner_.lane_of(node_, lane_)];
  }

  const char* socket_name() const override { return socket().name(); }
  tlm::tlm_response_status check(const tlm::tlm_generic_payload& payload) const override {
    return owner_.check(payload, node_, lane_);
  }
  tlm::tlm_sync_enum begin_request(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                   sc_core::sc_time& delay) override {
    requesting_ = &payload;
    due_ = owner_.first_from(delay);
    const cycle_t now = owner_.now();
    if (due_ != now || !owner_.held_.empty() || !owner_.core_->ready(node_, lane_, now)) {
      owner_.held_.push_back(this);
      owner_.wake_at(std::max(due_, now));
      return tlm::TLM_ACCEPTED;
    }
    start(now);
    owner_.look();
    if (next_ > now + 1) return tlm::TLM_ACCEPTED;
    requesting_ = nullptr;
    started_ = false;
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }

  void start(cycle_t now) {
    network_transfer transfer =
        owner_.inside(requesting_->get_extension<network_transfer_extension>()->transfer, node_);
    if (transfer.operation.is == operation_part::none) {
      tlm::tlm_generic_payload& travels = owner_.messages_.acquire();
      copy_message(*requesting_, travels);
      transfer.cargo = owner_.carry(travels, transfer.everyone ? owner_.core_->copies() : 1);
    }
    inside_.push(requesting_);
    started_ = true;
    owner_.core_->send(transfer, now);
    next_ = std::max(owner_.core_->place_at(node_, lane_), now + 1);
    if (next_ > now + 1) owner_.ending_.push_back(this);
  }

  void end_request() {
    tlm::tlm_generic_payload& payload = *requesting_;
    requesting_ = nullptr;
    started_ = false;
    tlm::tlm_phase phase = tlm::END_REQ;
    sc_core::sc_time delay = delay_to(owner_.time_of(next_ - 1));
    socket()->nb_transport_bw(payload, phase, delay);
  }

  message_network_module& owner_;
  node_id node_;
  std::uint8_t lane_;
  bool started_ = false;  // the core has the request
  cycle_t next_ = 0;      // from when on there is a place for another
  cycle_t due_ = 0;
  fifo<tlm::tlm_generic_payload*> inside_;  // without BEGIN_RESP
};

// To a node, one lane.

class message_network_module::delivery final : public lane_outlet {
 public:
  delivery(message_network_module& owner, node_id node, std::uint8_t lane)
      : lane_outlet(owner.to_nodes[owner.lane_of(node, lane)], owner.resume_),
        owner_(owner),
        node_(node),
        lane_(lane) {}

 private:
  void lane_open(const sc_core::sc_time& delay) override {
    if (owner_.sockets_ == joined_to::cables) give_back(delay);
  }
  void message_gone(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay) override {
    if (payload.is_response_error()) {
      owner_.report_failure(refusal_of(socket_name(), payload).c_str());
    }
    if (owner_.sockets_ == joined_to::nodes) give_back(delay);
  }
  void give_back(const sc_core::sc_time& delay) {
    owner_.core_->give_back(node_, lane_, owner_.first_after(delay) - 1);
    owner_.look();
  }

  message_network_module& owner_;
  node_id node_;
  std::uint8_t lane_;
};

class message_network_module::node_end final : public network_endpoint {
 public:
  node_end(message_network_module& owner, node_id node) : owner_(owner), node_(node) {}

  void room(std::uint8_t lane, cycle_t at) override { owner_.room(node_, lane, at); }
  void arrive(const network_transfer& transfer, cycle_t head, cycle_t) override {
    owner_.arrive(transfer, head);
  }

 private:
  message_network_module& owner_;
  node_id node_;
};

// The module.

message_network_module::message_network_module(const sc_core::sc_module_name& name,
                                               const message_network_config& config,
                                               std::uint32_t nodes)
    : message_network_module(
          name, config.clock, [&] { return make_message_network(config, nodes); },
          joined_to::nodes) {}

message_network_module::message_network_module(const sc_core::sc_module_name& name,
                                               std::unique_ptr<message_network> network)
    : message_network_module(
          name, network->config().clock, [&] { return std::move(network); }, joined_to::nodes) {}

message_network_module::message_network_module(
    const sc_core::sc_module_name& name, const clock_domain& clock,
    const std::function<std::unique_ptr<message_network>()>& make, joined_to sockets)
    : event_driven_module(name, sc_period(clock)),
      from_nodes("from_nodes"),
      to_nodes("to_nodes"),
      core_(make_or_report(*this, messages::configuration, make)),
      sockets_(sockets) {
  const std::uint32_t nodes = core_->nodes();
  from_nodes.init(std::size_t{nodes} * core_->lanes());
  to_nodes.init(std::size_t{nodes} * core_->lanes());
  for (std::uint32_t n = 0; n < nodes; ++n) {
    for (std::uint8_t lane = 0; lane < core_->lanes(); ++lane) {
      inlets_.push_back(std::make_unique<inlet>(*this, node_id{n}, lane));
      outlets_.push_back(std::make_unique<delivery>(*this, node_id{n}, lane));
    }
    nodes_.push_back(std::make_unique<node_end>(*this, node_id{n}));
    core_->attach(node_id{n}, *nodes_.back());
  }
  SC_METHOD(resume);
  sensitive << resume_;
  dont_initialize();
}

message_network_module::~message_network_module() = default;

void message_network_module::end_of_elaboration() {
  for (std::size_t i = 0; i < inlets_.size(); ++i) {
    inlets_[i]->connect(*from_nodes[i].operator->(), resume_);
  }
}

cycle_t message_network_module::next_wakeup() const {
  cycle_t next = core_->next_wakeup();
  for (const inlet* each : held_) next = std::min(next, std::max(each->held_until(), now() + 1));
  for (const inlet* each : ending_) {
    if (each->waits()) next = std::min(next, std::max(each->request_ends(), now() + 1));
  }
  if (!emptied_.empty()) next = std::min(next, emptied_.front().last);
  return next;
}

void message_network_module::advance_to(cycle_t last) {
  core_->advance_to(last);
  for (std::size_t i = 0; i < ending_.size(); ++i) ending_[i]->end_due_request(last);
  ending_.erase(std::remove_if(ending_.begin(), ending_.end(),
                               [](const inlet* each) { return !each->waits(); }),
                ending_.end());
  start_held(last);
  tell_emptied(last);
}

void message_network_module::tell_emptied(cycle_t now) {
  while (!emptied_.empty() && emptied_.front().last <= now) {
    const emptied_place next = emptied_.front();
    std::pop_heap(emptied_.begin(), emptied_.end(), is_later);
    emptied_.pop_back();
    next.of->respond(next.last + 1);
  }
}

void message_network_module::start_held(cycle_t now) {
  const std::size_t count = held_.size();
  for (std::size_t i = 0; i < count; ++i) {
    inlet* const next = held_.front();
    held_.pop_front();
    if (!next->start_held(now)) held_.push_back(next);
  }
}

void message_network_module::resume() {
  for (const auto& each : inlets_) each->resume();
  for (const auto& each : outlets_) each->resume();
}

tlm::tlm_response_status message_network_module::check(const tlm::tlm_generic_payload& payload,
                                                       node_id node, std::uint8_t lane) const {
  const network_transfer_extension* const message =
      payload.get_extension<network_transfer_extension>();
  if (message == nullptr || payload.get_command() != tlm::TLM_IGNORE_COMMAND) {
    return tlm::TLM_COMMAND_ERROR_RESPONSE;
  }
  const network_transfer& transfer = message->transfer;
  if (transfer.everyone && !core_->config().broadcast) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  const bool has_receiver = transfer.everyone || index(transfer.destination) < core_->nodes();
  if (transfer.source != node || transfer.lane != lane || !has_receiver) {
    return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  }
  return transfer.bytes <= core_->config().payload_bytes ? tlm::TLM_OK_RESPONSE
                                                         : tlm::TLM_BURST_ERROR_RESPONSE;
}

void message_network_module::room(node_id node, std::uint8_t lane, cycle_t at) {
  inlet& into = *inlets_[lane_of(node, lane)];
  into.room(at);
  if (sockets_ == joined_to::nodes) return;
  emptied_.push_back({at - 1, &into});
  std::push_heap(emptied_.begin(), emptied_.end(), is_later);
}

void message_network_module::arrive(const network_transfer& transfer, cycle_t head) {
  const bool is_operation = transfer.operation.is != operation_part::none;
  tlm::tlm_generic_payload& payload = is_operation ? new_operation(transfer) : carried(transfer);
  outlets_[lane_of(transfer.destination, transfer.lane)]->send(payload, time_of(head - 1));
}

void message_network_module::reset_statistics() {
  core_->advance_to(now());
  core_->reset_statistics();
}

void message_network_module::report(statistics_group& group) {
  core_->advance_to(now());
  core_->report(group, 0);
}

/// The network makes operations anew at the far end.
tlm::tlm_generic_payload& message_network_module::new_operation(const network_transfer& transfer) {
  tlm::tlm_generic_payload& payload = messages_.acquire();
  payload.set_address(transfer.operation.address);
  payload.set_streaming_width(word_bytes);
  reused_extension<network_transfer_extension>(payload).transfer = transfer;
  return payload;
}

std::uint64_t message_network_module::carry(tlm::tlm_generic_payload& payload,
                                            std::uint32_t copies) {
  if (unused_.empty()) {
    unused_.push_back(carried_.size());
    carried_.push_back({});
  }
  const std::uint64_t cargo = unused_.back();
  unused_.pop_back();
  carried_[static_cast<std::size_t>(cargo)] = {&payload, copies};
  return cargo;
}

tlm::tlm_generic_payload& message_network_module::carried(const network_transfer& transfer) {
  travelling& from = carried_[static_cast<std::size_t>(transfer.cargo)];
  tlm::tlm_generic_payload* payload = from.payload;
  if (--from.copies == 0) {
    from.payload = nullptr;
    unused_.push_back(transfer.cargo);
  } else {
    payload = &messages_.acquire();
    copy_message(*from.payload, *payload);
  }
  if (transfer.everyone) {
    reused_extension<network_transfer_extension>(*payload).transfer.destination =
        transfer.destination;
  }
  return *payload;
}

}  // namespace tributary

// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/link_module.h>

#include <algorithm>
#include <cstddef>

#include <tributary/sim/error.h>
#include <tributary/sim/fifo.h>
#include <tributary/sim/parameters.h>
#include <tributary/systemc/lane_outlet.h>
#include <tributary/systemc/messages.h>
#include <tributary/systemc/network_transfer_extension.h>
#include <tributary/systemc/socket_ends.h>

namespace tributary {
namespace {

const link_config& checked(const link_config& config) {
  check_ranges(config.links);
  check_ranges(config.links.clock);
  if (config.propagation == 0 || config.places == 0) {
    throw configuration_error({config.places == 0 ? "places" : "propagation", "",
                               "a link takes a cycle and leads to a place", "1 or more",
                               "raise it"});
  }
  return config;
}

}  // namespace

// What comes, one lane.

class link_module::inlet final : public target_end {
 public:
  inlet(link_module& owner, std::uint8_t lane) : owner_(owner), lane_(lane) {
    socket().bind(*this);
  }

  cycle_t due() const { return due_; }
  std::uint8_t lane() const { return lane_; }

  void start_held(cycle_t now) {
    start(now);
    if (has_place()) end_request();
  }
  /// Answers what was answered within its BEGIN_REQ.
  void answer_early() {
    for (; !early_.empty(); early_.pop()) place_empty(early_.front());
  }
  /// The oldest message has left its place at the receiver, which is empty from `at` on.
  void place_empty(cycle_t at) {
    if (starting_) {
      early_.push(at);
      owner_.resume_.notify(sc_core::SC_ZERO_TIME);
      return;
    }
    if (started_) {
      next_ = std::max(next_, at);
      end_request();
    }
    tlm::tlm_generic_payload& oldest = *inside_.front();
    inside_.pop();
    oldest.set_response_status(tlm::TLM_OK_RESPONSE);
    responses_.respond(oldest, owner_.time_of(at - 1));
  }

 private:
  tlm::tlm_target_socket<>& socket() const { return owner_.near_ends[lane_]; }
  const char* socket_name() const override { return socket().name(); }

  tlm::tlm_response_status check(const tlm::tlm_generic_payload& payload) const override {
    const auto* const message = payload.get_extension<network_transfer_extension>();
    if (message == nullptr || payload.get_command() != tlm::TLM_IGNORE_COMMAND) {
      return tlm::TLM_COMMAND_ERROR_RESPONSE;
    }
    if (message->transfer.lane != lane_) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    return message->transfer.bytes <= owner_.config_.links.payload_bytes
               ? tlm::TLM_OK_RESPONSE
               : tlm::TLM_BURST_ERROR_RESPONSE;
  }

  tlm::tlm_sync_enum begin_request(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                   sc_core::sc_time& delay) override {
    requesting_ = &payload;
    due_ = owner_.first_from(delay);
    const cycle_t now = owner_.now();
    if (due_ != now || !owner_.held_.empty() || !owner_.may_start(lane_, now)) {
      owner_.held_.push_back(this);
      owner_.wake_at(std::max(due_, now));
      return tlm::TLM_ACCEPTED;
    }
    start(now);
    if (!has_place()) return tlm::TLM_ACCEPTED;
    requesting_ = nullptr;
    started_ = false;
    phase = tlm::END_REQ;
    delay = delay_to(owner_.time_of(next_ - 1));
    return tlm::TLM_UPDATED;
  }

  void start(cycle_t now) {
    inside_.push(requesting_);
    next_ = now + 1;
    started_ = true;
    starting_ = true;
    owner_.start(*requesting_, lane_, now);
    starting_ = false;
  }
  /// Whether it is known when there is a place for the next message.
  bool has_place() {
    const cycle_t at = owner_.place_at(lane_);
    if (at == never) return false;
    next_ = std::max(next_, at);
    return true;
  }
  void end_request() {
    tlm::tlm_generic_payload& payload = *requesting_;
    requesting_ = nullptr;
    started_ = false;
    tlm::tlm_phase phase = tlm::END_REQ;
    sc_core::sc_time delay = delay_to(owner_.time_of(next_ - 1));
    socket()->nb_transport_bw(payload, phase, delay);
  }

  link_module& owner_;
  std::uint8_t lane_;
  bool started_ = false;   // the message has left
  bool starting_ = false;  // within its BEGIN_REQ at the far end
  cycle_t next_ = 0;       // from when on another may be sent
  cycle_t due_ = 0;
  fifo<tlm::tlm_generic_payload*> inside_;  // without BEGIN_RESP
  fifo<cycle_t> early_;                     // when their places are empty
};

// What leaves, one lane.

class link_module::outlet final : public lane_outlet {
 public:
  outlet(link_module& owner, std::uint8_t lane)
      : lane_outlet(owner.far_ends[lane], owner.resume_), owner_(owner), lane_(lane) {}

 private:
  void message_gone(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay) override {
    if (payload.is_response_error()) {
      owner_.report_failure(refusal_of(socket_name(), payload).c_str());
    }
    owner_.place_empty(lane_, owner_.first_after(delay));
  }

  link_module& owner_;
  std::uint8_t lane_;
};

// The module.

link_module::link_module(const sc_core::sc_module_name& name, const link_config& config)
    : event_driven_module(name, sc_period(config.links.clock)),
      near_ends("near_ends"),
      far_ends("far_ends"),
      config_(make_or_report(*this, messages::configuration, [&] { return checked(config); })),
      gap_(config_.links.gap_cycles()),
      behind_(places_.add(config_.links.lanes, config_.places, 0)) {
  near_ends.init(config_.links.lanes);
  far_ends.init(config_.links.lanes);
  for (std::uint8_t lane = 0; lane < config_.links.lanes; ++lane) {
    inlets_.push_back(std::make_unique<inlet>(*this, lane));
    outlets_.push_back(std::make_unique<outlet>(*this, lane));
  }
  SC_METHOD(resume);
  sensitive << resume_;
  dont_initialize();
}

link_module::~link_module() = default;

void link_module::end_of_elaboration() {
  for (std::size_t i = 0; i < inlets_.size(); ++i) {
    inlets_[i]->connect(*near_ends[i].operator->(), resume_);
  }
}

cycle_t link_module::place_at(std::uint8_t lane) const { return places_.fits_at(behind_, lane, 0); }

bool link_module::may_start(std::uint8_t lane, cycle_t now) const {
  return free_at_ <= now && place_at(lane) <= now;
}

void link_module::start(const tlm::tlm_generic_payload& payload, std::uint8_t lane, cycle_t now) {
  const network_transfer& transfer = payload.get_extension<network_transfer_extension>()->transfer;
  const std::uint64_t wire = config_.links.wire_cycles(transfer.bytes);
  free_at_ = now + wire + gap_;
  places_.take(behind_, lane, 0, now);
  ++messages_;
  bytes_.add(transfer.bytes);
  busy_cycles_ += wire + gap_;
  observers_.notify(
      {now, now + wire, config_.kind, config_.from, config_.to, config_.number, transfer});
  tlm::tlm_generic_payload& travels = travelling_.acquire();
  copy_message(payload, travels);
  outlets_[lane]->send(travels, time_of(now + config_.propagation - 1));
}

void link_module::place_empty(std::uint8_t lane, cycle_t at) {
  places_.free(behind_, lane, 0, at);
  inlets_[lane]->place_empty(at);
  look();
}

cycle_t link_module::next_wakeup() const {
  cycle_t next = never;
  for (const inlet* each : held_) {
    const cycle_t at = std::max({each->due(), free_at_, place_at(each->lane()), now() + 1});
    next = std::min(next, at);
  }
  return next;
}

void link_module::advance_to(cycle_t last) {
  const std::size_t count = held_.size();
  for (std::size_t i = 0; i < count; ++i) {
    inlet* const next = held_.front();
    held_.pop_front();
    if (next->due() <= last && may_start(next->lane(), last)) {
      next->start_held(last);
    } else {
      held_.push_back(next);
    }
  }
}

void link_module::resume() {
  for (const auto& each : inlets_) {
    each->answer_early();
    each->resume();
  }
  for (const auto& each : outlets_) each->resume();
}

void link_module::reset_statistics() {
  measured_from_ = now();
  busy_cycles_ = free_at_ > now() ? free_at_ - now() : 0;
  reset_all(messages_, bytes_);
}

void link_module::report(statistics_group& group) const {
  group.add("messages", messages_, "messages", "Messages that left.");
  group.add("payload", bytes_, "bytes", "Their payload.");
  const cycle_t elapsed = now() - measured_from_;
  const std::uint64_t to_come = free_at_ > now() ? free_at_ - now() : 0;
  const std::uint64_t past = busy_cycles_ - std::min(to_come, busy_cycles_);
  group.add("utilisation",
            elapsed == 0 ? 0.0 : static_cast<double>(past) / static_cast<double>(elapsed), "1",
            "Part of the time that the link was busy.");
}

}  // namespace tributary

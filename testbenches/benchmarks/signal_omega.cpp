// SPDX-License-Identifier: Apache-2.0
#include "signal_omega.h"

#include <tributary/memory/memory.h>
#include <tributary/processor/workload.h>

namespace tributary::benchmarks {

signal_links::signal_links(std::size_t all_lines, unsigned stages)
    : lines(all_lines),
      request("request", (stages + 1) * all_lines),
      request_ready("request_ready", (stages + 1) * all_lines),
      response("response", (stages + 1) * all_lines),
      response_ready("response_ready", (stages + 1) * all_lines) {}

// --- a switch ----------------------------------------------------------------------------------

two_edge_module::two_edge_module(const sc_core::sc_module_name& name) : sc_module(name) {
  SC_METHOD(offer);
  sensitive << clock.pos();
  dont_initialize();
  SC_METHOD(take);
  sensitive << clock.neg();
  dont_initialize();
}

signal_switch::signal_switch(const sc_core::sc_module_name& name,
                             const combining_switch_config& config, unsigned route_bit)
    : two_edge_module(name), core_(config, route_bit) {}

void signal_switch::bind(signal_links& links, std::size_t stage, std::size_t index) {
  for (std::size_t side = 0; side < 2; ++side) {
    const std::size_t before = links.at(stage, side * links.lines / 2 + index);
    const std::size_t behind = links.at(stage + 1, 2 * index + side);
    request_in_[side].bind(links.request[before]);
    request_ready_[side].bind(links.request_ready[before]);
    response_out_[side].bind(links.response[before]);
    next_response_ready_[side].bind(links.response_ready[before]);
    request_out_[side].bind(links.request[behind]);
    next_request_ready_[side].bind(links.request_ready[behind]);
    response_in_[side].bind(links.response[behind]);
    response_ready_[side].bind(links.response_ready[behind]);
  }
}

void signal_switch::end_of_elaboration() {
  for (std::size_t side = 0; side < 2; ++side) {
    request_ready_[side].initialize(core_.request_ready()[side]);
    response_ready_[side].initialize(core_.reply_ready()[side] != 0);
  }
}

void signal_switch::offer() {
  const std::array<std::uint8_t, 2> request_room{next_request_ready_[0].read(),
                                                 next_request_ready_[1].read()};
  const std::array<std::uint8_t, 2> response_room{
      static_cast<std::uint8_t>(next_response_ready_[0].read()),
      static_cast<std::uint8_t>(next_response_ready_[1].read())};
  core_.depart(request_room.data(), response_room.data(), leaving_);
  for (std::size_t side = 0; side < 2; ++side) {
    const packet* request = core_.departing_request(side, leaving_);
    request_out_[side].write(request == nullptr ? wire<packet>{} : wire<packet>{*request, true});
    const reply* response = core_.departing_reply(side, leaving_);
    response_out_[side].write(response == nullptr ? wire<reply>{} : wire<reply>{*response, true});
  }
}

void signal_switch::take() {
  core_.advance_links();
  for (std::size_t side = 0; side < 2; ++side) {
    if ((leaving_.requests[side] & switch_departures::any_queue) != 0) {
      core_.release_request(side, leaving_, partners_);
    }
    if (leaving_.replies[side] != 0) core_.release_reply(side);
  }
  for (std::size_t side = 0; side < 2; ++side) {
    const wire<packet>& request = request_in_[side].read();
    if (request.valid) core_.accept_request(side, request.content, leaving_, partners_);
  }
  for (std::size_t side = 0; side < 2; ++side) {
    const wire<reply>& response = response_in_[side].read();
    if (response.valid) core_.accept_reply(side, response.content, partners_);
  }
  for (std::size_t side = 0; side < 2; ++side) {
    request_ready_[side].write(core_.request_ready()[side]);
    response_ready_[side].write(core_.reply_ready()[side] != 0);
  }
}

// --- the ends ----------------------------------------------------------------------------------

namespace {

/// Puts on the lines of a level what was gathered for them, and forgets it.
template <class Message>
void write_all(std::vector<wire<Message>>& gathered,
               sc_core::sc_vector<sc_core::sc_signal<wire<Message>>>& signals, std::size_t first) {
  for (std::size_t line = 0; line < gathered.size(); ++line) {
    signals[first + line].write(gathered[line]);
    gathered[line].valid = false;
  }
}

}  // namespace

/// All processing elements with their network interfaces, at link level 0.
class signal_omega::elements final : public two_edge_module {
 public:
  elements(const sc_core::sc_module_name& name, const ultracomputer_config& config,
           const address_map& map, signal_links& links, std::uint64_t seed)
      : two_edge_module(name),
        links_(&links),
        interface_(config.resolved_interface(), map, config.network.stages() - 1,
                   config.network.switches.link_cycles, links.lines),
        workload_(make_workload(config.workload, config.processor, config.interface.outstanding,
                                map, seed)),
        room_(links.lines),
        no_local_port_(links.lines),
        outgoing_(links.lines) {}

  network_interface& interfaces() { return interface_; }
  void reset_statistics() {
    interface_.reset_statistics();
    workload_->reset_statistics();
  }

 private:
  void end_of_elaboration() override {
    for (std::size_t pe = 0; pe < room_.size(); ++pe) links_->response_ready[pe].write(true);
  }
  void offer() override {
    ++now_;
    workload_->advance(now_, interface_);
    for (std::size_t pe = 0; pe < room_.size(); ++pe) room_[pe] = links_->request_ready[pe].read();
    interface_.depart(room_.data(), no_local_port_.data());
    interface_.advance();
    interface_.release_requests(
        now_,
        [&](std::size_t pe, const packet& request) {
          outgoing_[pe] = {request, true};
        },
        [](std::size_t, const packet&) {});
    write_all(outgoing_, links_->request, links_->at(0, 0));
  }
  void take() override {
    delivered_.clear();
    for (std::size_t pe = 0; pe < room_.size(); ++pe) {
      const wire<reply>& response = links_->response[pe].read();
      if (response.valid) delivered_.push_back(interface_.deliver(pe, response.content, now_));
    }
    workload_->deliver(now_, delivered_);
  }

  signal_links* links_;
  network_interface interface_;
  std::unique_ptr<workload> workload_;
  cycle_t now_ = 0;
  std::vector<std::uint8_t> room_;
  std::vector<std::uint8_t> no_local_port_;
  std::vector<wire<packet>> outgoing_;
  std::vector<memory_response> delivered_;
};

/// All memory modules, at link level k.
class signal_omega::memories final : public two_edge_module {
 public:
  memories(const sc_core::sc_module_name& name, const ultracomputer_config& config,
           signal_links& links)
      : two_edge_module(name),
        links_(&links),
        level_(links.at(config.network.stages(), 0)),
        core_(config.memory, config.network.switches.link_cycles, links.lines),
        room_(links.lines),
        outgoing_(links.lines) {}

  void reset_statistics() { core_.reset_statistics(); }

 private:
  void end_of_elaboration() override { publish(); }
  void publish() {
    for (std::size_t mm = 0; mm < room_.size(); ++mm) {
      links_->request_ready[level_ + mm].write(core_.request_ready()[mm]);
    }
  }
  void offer() override {
    ++now_;
    for (std::size_t mm = 0; mm < room_.size(); ++mm) {
      room_[mm] = static_cast<std::uint8_t>(links_->response_ready[level_ + mm].read());
    }
    core_.depart(room_.data());
    core_.advance();
    core_.release_replies(now_, [&](std::size_t mm, const reply& response) {
      outgoing_[mm] = {response, true};
    });
    write_all(outgoing_, links_->response, level_);
  }
  void take() override {
    for (std::size_t mm = 0; mm < room_.size(); ++mm) {
      const wire<packet>& request = links_->request[level_ + mm].read();
      if (request.valid) core_.serve(mm, request.content, now_);
    }
    core_.settle();
    publish();
  }

  signal_links* links_;
  std::size_t level_;
  memory core_;
  cycle_t now_ = 0;
  std::vector<std::uint8_t> room_;
  std::vector<wire<reply>> outgoing_;
};

// --- the machine -------------------------------------------------------------------------------

signal_omega::signal_omega(const sc_core::sc_module_name& name, const ultracomputer_config& config,
                           std::uint64_t seed)
    : sc_module(name),
      stages_(config.network.stages()),
      lines_(config.network.processing_elements),
      addresses_(config.addresses, config.network.processing_elements),
      links_(lines_, stages_),
      elements_(std::make_unique<elements>("elements", config, addresses_, links_, seed)),
      memories_(std::make_unique<memories>("memories", config, links_)) {
  elements_->clock(clock);
  memories_->clock(clock);
  for (unsigned stage = 0; stage < stages_; ++stage) {
    for (std::size_t index = 0; index < lines_ / 2; ++index) {
      const std::string own = "switch_" + std::to_string(stage) + "_" + std::to_string(index);
      switches_.push_back(std::make_unique<signal_switch>(own.c_str(), config.network.switches,
                                                          stages_ - 1 - stage));
      switches_.back()->clock(clock);
      switches_.back()->bind(links_, stage, index);
    }
  }
}

signal_omega::~signal_omega() = default;

const network_interface& signal_omega::interfaces() const { return elements_->interfaces(); }

combining_counters signal_omega::counters(std::size_t stage) const {
  combining_counters sum;
  for (std::size_t index = 0; index < lines_ / 2; ++index) {
    const combining_counters& one = switches_[stage * lines_ / 2 + index]->counters();
    sum.arrived += one.arrived;
    sum.combined += one.combined;
    sum.departed += one.departed;
    sum.decombined += one.decombined;
    sum.waiting_cycles += one.waiting_cycles;
    sum.held_cycles += one.held_cycles;
  }
  return sum;
}

void signal_omega::reset_statistics() {
  elements_->reset_statistics();
  memories_->reset_statistics();
  for (const std::unique_ptr<signal_switch>& each : switches_) each->reset_counters();
}

namespace {

sc_core::sc_time period() { return {1, sc_core::SC_NS}; }

}  // namespace

signal_machine::signal_machine(const ultracomputer_config& config, std::uint64_t seed)
    : clock_("clock", period(), 0.5, period()), network_("network", config, seed) {
  network_.clock(clock_);
}

void signal_machine::step(std::uint64_t cycles) {
  now_ += cycles;
  // Behind the falling edge that ends the last cycle.
  const sc_core::sc_time end = (static_cast<double>(now_) + 0.75) * period();
  sc_core::sc_start(end - sc_core::sc_time_stamp());
}

}  // namespace tributary::benchmarks

// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/combining_switch_module.h>

#include <array>

namespace tributary {

combining_switch_module::combining_switch_module(const sc_core::sc_module_name& name,
                                                 const combining_switch_config& config,
                                                 unsigned route_bit)
    : core_module(name, [config, route_bit] {
        return single_combining_switch{switch_column(config, route_bit), {}};
      }) {}

void combining_switch_module::observe_at(request_event_sink* sink,
                                         const switch_position& position) {
  core_module::observe(sink);
  position_ = position;
}

void combining_switch_module::ready() {
  for (std::size_t i = 0; i < 2; ++i) {
    request_in[i].publish(&core().state.request_ready()[i]);
    reply_in[i].publish(&core().state.reply_ready()[i]);
  }
}

void combining_switch_module::depart() {
  const std::array<std::uint8_t, 2> next{*request_out[0].ready(), *request_out[1].ready()};
  const std::array<std::uint8_t, 2> back{*reply_out[0].ready(), *reply_out[1].ready()};
  switch_column& state = core().state;
  state.depart(next.data(), back.data(), leaving_);
  for (std::size_t i = 0; i < 2; ++i) {
    if (const packet* request = state.departing_request(i, leaving_)) {
      request_out[i].send(0, *request);
    }
    if (const reply* response = state.departing_reply(i, leaving_)) {
      reply_out[i].send(0, *response);
    }
  }
}

void combining_switch_module::commit() {
  switch_column& state = core().state;
  state.advance_links();
  if (sink() != nullptr) report_departures();
  for (std::size_t i = 0; i < 2; ++i) {
    if ((leaving_.requests[i] & switch_departures::any_queue) != 0) {
      state.release_request(i, leaving_, core().partners);
    }
    if (leaving_.replies[i] != 0) state.release_reply(i);
  }
  if (sink() != nullptr) {
    accept(observer());
  } else {
    accept(unobserved{});
  }
}

void combining_switch_module::report_departures() {
  const switch_column& state = core().state;
  for (std::size_t i = 0; i < 2; ++i) {
    if (const packet* request = state.departing_request(i, leaving_)) {
      observer().departed(i, *request);
    }
    if (const reply* response = state.departing_reply(i, leaving_)) {
      observer().reply_departed(i, *response);
    }
  }
}

template <class Observer>
void combining_switch_module::accept(const Observer& observer) {
  single_combining_switch& own = core();
  for (std::size_t i = 0; i < 2; ++i) {
    request_in[i].receive([&](std::size_t, const packet& request) {
      own.state.accept_request(i, request, leaving_, own.partners, observer);
    });
  }
  own.state.settle(leaving_, own.partners, observer);
  for (std::size_t i = 0; i < 2; ++i) {
    reply_in[i].receive([&](std::size_t, const reply& response) {
      own.state.accept_reply(i, response, own.partners, observer);
    });
  }
}

void combining_switch_module::reset() {
  reset_core();
  refuse_all();
}

}  // namespace tributary

// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/omega/core_switch.h>

#include <optional>
#include <utility>

#include <tributary/network/omega/switch_contents.h>

namespace tributary {
namespace {

/// Notes events by input and output. A request comes by the input that its response leaves by.
struct activity_observer {
  static constexpr bool enabled = true;
  switch_activity& activity;
  unsigned route_bit;

  void inserted(std::size_t, const packet& request) const {
    activity.inserted[(request.pe >> route_bit) & 1U] = true;
  }
  void combined(std::size_t port, const packet& request, const packet& joined) const {
    activity.combined.push_back({static_cast<unsigned>(port), request, joined.id()});
  }
  void decombined(std::size_t port, const reply& second, const request_id&) const {
    activity.decombined[port] = second;
  }
};

}  // namespace

const switch_traffic& core_switch::depart(const std::array<std::uint8_t, 2>& next_request_ready,
                                          const std::array<bool, 2>& next_reply_ready) {
  const std::array<std::uint8_t, 2> sinks{next_reply_ready[0] ? std::uint8_t{1} : std::uint8_t{0},
                                          next_reply_ready[1] ? std::uint8_t{1} : std::uint8_t{0}};
  core_.depart(next_request_ready.data(), sinks.data(), leaving_);
  for (unsigned i = 0; i < 2; ++i) {
    const packet* const request = core_.departing_request(i, leaving_);
    const reply* const response = core_.departing_reply(i, leaving_);
    departed_.requests[i] = request == nullptr ? std::nullopt : std::optional(*request);
    departed_.replies[i] = response == nullptr ? std::nullopt : std::optional(*response);
  }
  return departed_;
}

const switch_activity& core_switch::commit(const switch_traffic& arriving) {
  activity_ = {};
  const activity_observer observer{activity_, route_bit_};
  core_.advance_links();
  for (unsigned i = 0; i < 2; ++i) {
    if (departed_.requests[i]) {
      const std::size_t held = core_.wait_buffers().size(i);
      core_.release_request(i, leaving_, partners_);
      activity_.held[i] = core_.wait_buffers().size(i) != held;
    }
    if (departed_.replies[i]) core_.release_reply(i);
  }
  for (unsigned i = 0; i < 2; ++i) {
    if (!arriving.requests[i]) continue;
    core_.accept_request(i, *arriving.requests[i], leaving_, partners_, observer);
  }
  for (unsigned i = 0; i < 2; ++i) {
    if (arriving.replies[i]) core_.accept_reply(i, *arriving.replies[i], partners_, observer);
  }
  core_.settle(leaving_, partners_, observer);
  return activity_;
}

void core_switch::reset() {
  core_ = switch_column(combining_switch_config(core_.config()), route_bit_);
  partners_ = {};
  departed_ = {};
}

std::optional<switch_occupancy> core_switch::occupancy() const {
  switch_occupancy now;
  const unsigned queues = core_.config().type == queue_type::a ? 1 : 2;
  for (unsigned output = 0; output < 2; ++output) {
    for (unsigned number = 0; number < queues; ++number) {
      const std::size_t queue = core_.queue_of(output, number);
      now.queued[output][number] = static_cast<std::uint32_t>(core_.queues().size(queue));
      now.combined[output][number] = static_cast<std::uint32_t>(core_.queues().combined(queue));
    }
    now.waiting[output] = static_cast<std::uint32_t>(core_.wait_buffers().size(output));
    now.reverse[output] = static_cast<std::uint32_t>(core_.reverse_queues().size(output));
  }
  return now;
}

std::string core_switch::state() const {
  switch_contents contents;
  const unsigned queues = core_.config().type == queue_type::a ? 1 : 2;
  for (unsigned port = 0; port < 2; ++port) {
    for (unsigned number = 0; number < queues; ++number) {
      const std::size_t queue = core_.queue_of(port, number);
      for (std::size_t i = 0; i < core_.queues().size(queue); ++i) {
        const partner_index with = core_.queues().partner_of(queue, i);
        contents.queues[port][number].push_back(
            {core_.queues().entry(queue, i),
             with == no_partner ? std::nullopt : std::optional(partners_[with].second)});
      }
    }
    for (const partner& held : core_.wait_buffers().contents(port, partners_)) {
      contents.wait_buffers[port].push_back({held.first, held.second});
    }
    for (std::size_t i = 0; i < core_.reverse_queues().size(port); ++i) {
      contents.reverse_queues[port].push_back(core_.reverse_queues().entry(port, i));
    }
  }
  return to_string(std::move(contents));
}

}  // namespace tributary

// SPDX-License-Identifier: Apache-2.0
#include "transfer_timeline.h"

#include <algorithm>

#include <tributary/magic/node_events.h>

namespace tributary {

transfer_timeline::transfer_timeline(const protocol_set& protocols)
    : setup_(protocols.find("block_transfer.setup")),
      receive_(protocols.find("block_transfer.receive")),
      collect_(protocols.find("block_transfer.collect")),
      flag_update_(protocols.find("block_transfer.flag_update")) {
  for (const char* name :
       {"block_transfer.transfer", "block_transfer.transfer_realigned", "block_transfer.retry"}) {
    if (protocols.find(name) != no_handler) transfers_.push_back(protocols.find(name));
  }
}

void transfer_timeline::on_event(const trace_event& event) {
  if (event.kind == &node_events::processor_request) {
    // A processor that polls the flag has not begun another request.
    const bool is_write = node_events::type.in(event.details) ==
                          static_cast<std::uint64_t>(common_type::uncached_write);
    if (asked_ == 0 && is_write) asked_ = event.cycle;
  } else if (event.kind == &node_events::handled) {
    handled(event);
  } else if (event.kind == &node_events::departed) {
    const bool is_local =
        node_events::source.in(event.details) == node_events::destination.in(event.details);
    if (!is_local) payload_now_ += node_events::bytes.in(event.details);
  }
}

void transfer_timeline::handled(const trace_event& event) {
  const handler_id run = node_events::handler_of(event);
  const cycle_t end = event.last + 1;
  if (run == setup_) {
    begun_ = asked_;
    asked_ = 0;
    setup_end_ = end;
    first_transfer_ = 0;
    invocations_now_ = 0;
    busy_now_ = 0;
    payload_now_ = 0;
    received_now_ = 0;
    first_collect_ = 0;
    collecting_now_ = 0;
    phases_.command.add(event.cycle - begun_);
    phases_.setup.add(end - event.cycle);
  } else if (std::find(transfers_.begin(), transfers_.end(), run) != transfers_.end()) {
    if (first_transfer_ == 0) first_transfer_ = event.cycle;
    last_transfer_ = end;
    ++invocations_now_;
    busy_now_ += end - event.cycle;
  } else if (run == collect_) {
    // That of later pages is between two lines that are received.
    if (received_now_ != 0) return;
    if (first_collect_ == 0) first_collect_ = event.cycle;
    collecting_now_ = end - first_collect_;
  } else if (run == receive_) {
    last_received_ = end;
    last_receive_ = event.cycle;
    if (received_now_++ == 0) first_receive_ = event.cycle;
  } else if (run == flag_update_) {
    complete(event);
  }
}

void transfer_timeline::complete(const trace_event& event) {
  const cycle_t end = event.last + 1;
  ++completed_;
  last_completion_ = end;
  invocations_.add(invocations_now_);
  busy_.add(busy_now_);
  payload_.add(payload_now_);
  if (received_now_ > 1) {
    receiving_.add(last_receive_ - first_receive_);
    followers_.add(received_now_ - 1);
    received_.add(received_now_);
    collecting_.add(collecting_now_);
  }
  phases_.envelope.add(first_transfer_ - setup_end_);
  phases_.transfer.add(last_transfer_ - first_transfer_);
  phases_.last_line.add(last_received_ - std::min(last_received_, last_transfer_));
  phases_.acknowledgement.add(event.cycle - std::min(event.cycle, last_received_));
  phases_.flag_update.add(end - event.cycle);
  phases_.total.add(end - begun_);
}

void transfer_timeline::reset_statistics() {
  phases_ = {};
  invocations_.reset();
  busy_.reset();
  payload_.reset();
  receiving_.reset();
  followers_.reset();
  received_.reset();
  collecting_.reset();
  completed_.reset();
}

void transfer_timeline::report(statistics_group& into) const {
  const auto add = [&](const char* name, const average& value, const char* description) {
    into.add(name, value, "cycles", description);
  };
  into.add("completed", completed_, "transfers", "Flags that were incremented.");
  add("total", phases_.total, "First uncached write to the end of the flag's update.");
  add("command", phases_.command, "First uncached write to the beginning of the set-up.");
  add("setup", phases_.setup, "Set-up and verification.");
  add("envelope", phases_.envelope, "End of the set-up to the first transfer handler.");
  add("transfer", phases_.transfer, "First transfer handler to the end of the last.");
  add("last_line", phases_.last_line,
      "End of the last transfer handler to that of the last "
      "receive handler.");
  add("acknowledgement", phases_.acknowledgement,
      "End of the last receive handler to the beginning of the flag's update.");
  add("flag_update", phases_.flag_update, "Update of the flag.");
  into.add("invocations", invocations_, "handlers", "Invocations of transfer handlers a transfer.");
  add("busy", busy_, "Occupancy of transfer handlers a transfer.");
  into.add("payload", payload_, "bytes",
           "Payload on the network from the set-up to the flag's update, a transfer.");
  const auto part = [](const counter& sum, const counter& over) {
    return over.value() == 0 ? 0.0
                             : static_cast<double>(sum.value()) / static_cast<double>(over.value());
  };
  into.add("delivered_cycles", part(receiving_, followers_) + part(collecting_, received_),
           "cycles/line",
           "From one line received to the next, with the part of a line in collecting the page: "
           "what of the source's, the link's and the destination's cycles is most.");
}

}  // namespace tributary

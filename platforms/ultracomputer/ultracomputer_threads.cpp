// SPDX-License-Identifier: Apache-2.0
#include "ultracomputer_threads.h"

#include <algorithm>

namespace tributary {

static_assert(2 * active_groups::width % word_store::block_modules == 0,
              "a part has a multiple of so many modules, which share words with no other");

ultracomputer_threads::ultracomputer_threads(std::size_t threads, omega_network& network,
                                             network_interface& interfaces, memory& memories)
    : network_(network, threads),
      upper_half_(network.lines() / 2),
      interfaces_(interfaces),
      memories_(memories),
      shares_(threads),
      team_(threads) {}

void ultracomputer_threads::step(cycle_t now, independent_elements* elements,
                                 std::vector<memory_response>& responses, average& transit,
                                 current_activity* activity) {
  set_activity(activity, elements == nullptr ? "departures" : "elements and departures");
  network_.divide();
  network_.sample();
  if (elements != nullptr) elements->begin(now);
  team_.run([&](std::size_t part) {
    if (elements != nullptr) ask(part, *elements, now);
    depart(part);
  });
  set_activity(activity, "requests");
  team_.run([&](std::size_t part) { accept_requests(part, now); });
  set_activity(activity, "requests and replies");
  team_.run([&](std::size_t part) { pass_on(part, elements == nullptr, now); });
  set_activity(activity, "replies");
  count(elements, responses, transit);
  serve_local(now, responses);
  team_.run([&](std::size_t part) { release_replies(part); });
  network_.take_totals();
}

void ultracomputer_threads::ask(std::size_t part, independent_elements& elements, cycle_t now) {
  share& its = shares_[part];
  range_of_interfaces port(interfaces_, its.requests);
  for (const port_range& range : network_.part(part).lines) {
    elements.advance(range, now, port, its.elements);
  }
}

void ultracomputer_threads::depart(std::size_t part) {
  const column_part& its = network_.part(part);
  network_.depart(part, memories_.request_ready());
  for (const port_range& elements : its.lines) {
    interfaces_.depart(elements, network_.request_ready(), memories_.local_ready());
  }
  memories_.depart(its.ports, network_.reply_ready());
}

void ultracomputer_threads::accept_requests(std::size_t part, cycle_t now) {
  const column_part& its = network_.part(part);
  for (const port_range& elements : its.lines) interfaces_.advance(elements);
  memories_.advance(its.ports);
  share& totals = shares_[part];
  network_.accept_requests(part, [&](std::size_t module, const packet& request) {
    memories_.serve_of_range(module, request, now);
    ++totals.served;
    totals.transit.add(now - interfaces_.accepted_cycle(request.id()));
  });
}

void ultracomputer_threads::pass_on(std::size_t part, bool taken, cycle_t now) {
  network_.move_requests(part);
  release_elements(part, now);
  taken ? deliver(part, now) : drop(part, now);
  memories_.release_replies(network_.part(part).ports, now,
                            [&](std::size_t module, const reply& response) {
                              network_.accept_reply(part, module, response);
                            });
}

void ultracomputer_threads::release_elements(std::size_t part, cycle_t now) {
  share& its = shares_[part];
  for (const port_range& elements : network_.part(part).lines) {
    interfaces_.release_requests(
        elements, now, its.requests,
        [&](std::size_t pe, const packet& request) { network_.accept_request(part, pe, request); },
        [&](std::size_t pe, const packet& request) { its.local.emplace_back(pe, request); });
  }
}

void ultracomputer_threads::deliver(std::size_t part, cycle_t now) {
  share& its = shares_[part];
  network_.move_replies(part, [&](std::size_t pe, const reply& response) {
    (pe < upper_half_ ? its.lower : its.upper).push_back(interfaces_.answer(pe, response, now));
  });
}

void ultracomputer_threads::drop(std::size_t part, cycle_t now) {
  share& its = shares_[part];
  network_.move_replies(part, [&](std::size_t pe, const reply& response) {
    interfaces_.count_of_range(interfaces_.answer(pe, response, now), its.latencies);
    ++its.answers;
  });
}

void ultracomputer_threads::settle() {
  for (share& each : shares_) interfaces_.take(each.latencies);
}

void ultracomputer_threads::release_replies(std::size_t part) {
  network_.release_replies(part);
  memories_.settle(network_.part(part).ports);
}

// In the order of elements, as one thread delivers them.
void ultracomputer_threads::count(independent_elements* elements,
                                  std::vector<memory_response>& responses, average& transit) {
  for (std::vector<answered> share::*half : {&share::lower, &share::upper}) {
    for (share& each : shares_) {
      for (const answered& one : each.*half) responses.push_back(interfaces_.count(one));
      (each.*half).clear();
    }
  }
  for (share& each : shares_) {
    if (elements != nullptr) elements->take(each.elements);
    interfaces_.take_answered(std::exchange(each.answers, 0));
    interfaces_.take(each.requests);
    memories_.take_served(std::exchange(each.served, 0));
    transit += std::exchange(each.transit, {});
  }
}

void ultracomputer_threads::serve_local(cycle_t now, std::vector<memory_response>& responses) {
  for (share& each : shares_) {
    for (const auto& [element, request] : each.local) memories_.accept_local(element, request);
    each.local.clear();
  }
  memories_.serve_local(now, [](std::size_t, const packet&, word_t) {});
  memories_.release_local_replies(now, [&](std::size_t element, const reply& response) {
    responses.push_back(interfaces_.deliver(element, response, now));
  });
}

}  // namespace tributary

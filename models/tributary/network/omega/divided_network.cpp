// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/omega/divided_network.h>

#include <utility>

#include <tributary/sim/for_each_set.h>

namespace tributary {

std::size_t divided_network::most_parts(const omega_network& network) {
  return network.all_direct() ? network_division::most_parts(network.stages()) : 1;
}

divided_network::divided_network(omega_network& network, std::size_t parts)
    : network_(network),
      columns_(network.columns_),
      leaving_(network.leaving_),
      division_(network.stages(), parts),
      parts_(parts),
      spare_(network.config().switches, 0, network.lines() / 2),
      ready_behind_(network.lines()),
      ready_before_(network.lines()),
      requests_(network.lines()),
      replies_(network.lines()) {
  for (std::size_t i = 0; i < parts; ++i) {
    parts_[i].number = i;
    parts_[i].switches = division_.part(i);
    parts_[i].totals.resize(columns_.size());
  }
}

void divided_network::divide() {
  if (divided_) return;
  divided_ = true;
  const partner_pool before = std::exchange(network_.partners_, {});
  for (unsigned stage = 0; stage < columns_.size(); ++stage) {
    switch_column& column = columns_[stage];
    column.fit(leaving_[stage]);
    if (!division_.moves(stage)) {
      for (network_part& each : parts_) {
        column.move_partners(each.switches.ports, before, each.partners);
      }
      continue;
    }
    spare_.begin_copy(column);
    for (std::size_t place = 0; place < spare_.count(); ++place) {
      spare_.copy_switch(place, column, division_.undivided(stage, place), before, pool_at(place));
    }
    std::swap(column, spare_);
  }
}

void divided_network::unite() {
  if (!std::exchange(divided_, false)) return;
  partner_pool& after = network_.partners_;
  for (unsigned stage = 0; stage < columns_.size(); ++stage) {
    switch_column& column = columns_[stage];
    if (!division_.moves(stage)) {
      for (network_part& each : parts_) {
        column.move_partners(each.switches.ports, each.partners, after);
      }
      continue;
    }
    spare_.begin_copy(column);
    for (std::size_t place = 0; place < spare_.count(); ++place) {
      spare_.copy_switch(division_.undivided(stage, place), column, place, pool_at(place), after);
    }
    std::swap(column, spare_);
  }
  for (network_part& each : parts_) each.partners = {};
}

void divided_network::sample() {
  for (switch_column& column : columns_) column.sample();
}

void divided_network::take_totals() {
  for (network_part& each : parts_) {
    for (std::size_t stage = 0; stage < columns_.size(); ++stage) {
      columns_[stage].take(each.totals[stage]);
    }
  }
}

void divided_network::depart(std::size_t part, const std::uint8_t* memory_ready) {
  for (std::size_t stage = 0; stage < columns_.size(); ++stage) {
    depart_requests(parts_[part], stage, memory_ready);
    depart_replies(parts_[part], stage);
  }
}

void divided_network::depart_requests(const network_part& its, std::size_t stage,
                                      const std::uint8_t* memory_ready) {
  const port_range& ports = its.switches.ports;
  const auto depart = [&](const port_range& those, const std::uint8_t* ready_of_first) {
    columns_[stage].depart_requests(those, ready_of_first, leaving_[stage]);
  };
  if (stage == last_stage()) return depart(ports, memory_ready + ports.first);
  const std::uint8_t* const ready = columns_[stage + 1].request_ready();
  if (crosses(stage)) {
    for (std::size_t port = ports.first; port < ports.last; ++port) {
      ready_behind_[port] = ready[division_.crossing_line(port)];
    }
    depart(ports, ready_behind_.data() + ports.first);
  } else if (is_inner(stage)) {
    for (std::size_t input = 0; input < 2; ++input) {
      depart(division_.inner_ports(its.number, input), ready + its.switches.lines[input].first);
    }
  } else {
    depart(ports, ready + ports.first);
  }
}

void divided_network::depart_replies(const network_part& its, std::size_t stage) {
  for (std::size_t input = 0; input < 2; ++input) {
    const port_range& lines = its.switches.lines[input];
    const auto depart = [&](const std::uint8_t* ready_of_first) {
      columns_[stage].depart_replies(lines, ready_of_first, leaving_[stage]);
    };
    if (stage == 0) {
      depart(network_.sink_ready_.data() + lines.first);
      continue;
    }
    const std::uint8_t* const ready = columns_[stage - 1].reply_ready();
    if (crosses(stage - 1)) {
      for (std::size_t line = lines.first; line < lines.last; ++line) {
        ready_before_[line] = ready[division_.crossing_port(line)];
      }
      depart(ready_before_.data() + lines.first);
    } else if (is_inner(stage - 1)) {
      depart(ready + division_.inner_ports(its.number, input).first);
    } else {
      depart(ready + lines.first);
    }
  }
}

void divided_network::accept_outer_requests(network_part& its, std::size_t stage) {
  for (const port_range& ports : its.switches.lines) {
    for_each_set(leaving_[stage].requests, ports, columns_[stage].active_requests(), any_request,
                 [&](std::size_t port) { accept(its, stage, port, port); });
  }
}

void divided_network::accept_crossing_requests(network_part& its, std::size_t stage) {
  const std::uint8_t* const leaving = bytes_of(leaving_[stage].requests);
  for (const port_range& lines : its.switches.lines) {
    for (std::size_t line = lines.first; line < lines.last; ++line) {
      requests_[line] = leaving[division_.crossing_port(line)];
    }
    for_each_set(requests_.data(), lines, nullptr, any_request, [&](std::size_t line) {
      accept(its, stage, division_.crossing_port(line), line);
    });
  }
}

// From the memory side, so that inner queues release before they accept.
void divided_network::move_requests(std::size_t part) {
  network_part& its = parts_[part];
  for (std::size_t stage = columns_.size(); stage-- > 0;) {
    if (is_inner(stage) && stage != last_stage()) {
      move_inner_requests(its, stage);
    } else {
      for_each_set(leaving_[stage].requests, its.switches.ports, columns_[stage].active_requests(),
                   any_request, [&](std::size_t port) { release(its, stage, port); });
    }
  }
}

void divided_network::move_inner_requests(network_part& its, std::size_t stage) {
  for (std::size_t input = 0; input < 2; ++input) {
    const port_range ports = division_.inner_ports(its.number, input);
    const std::size_t first_line = its.switches.lines[input].first;
    for_each_set(leaving_[stage].requests, ports, columns_[stage].active_requests(), any_request,
                 [&](std::size_t port) {
                   enter<combining_queue::head_place::left>(
                       its, stage + 1, port - ports.first + first_line, release(its, stage, port));
                 });
  }
}

// The replies over the links behind a stage, from the next one.

void divided_network::accept_outer_replies(network_part& its, std::size_t stage) {
  const std::size_t next = stage + 1;
  for_each_set(leaving_[next].replies, its.switches.ports, columns_[next].active_replies(), 1,
               [&](std::size_t port) { accept_back(its, next, port, port); });
}

void divided_network::accept_crossing_replies(network_part& its, std::size_t stage) {
  const std::uint8_t* const leaving = bytes_of(leaving_[stage + 1].replies);
  const port_range& ports = its.switches.ports;
  for (std::size_t port = ports.first; port < ports.last; ++port) {
    replies_[port] = leaving[division_.crossing_line(port)];
  }
  for_each_set(replies_.data(), ports, nullptr, 1, [&](std::size_t port) {
    accept_back(its, stage + 1, division_.crossing_line(port), port);
  });
}

void divided_network::move_inner_replies(network_part& its, std::size_t stage) {
  switch_column& next = columns_[stage + 1];
  for (std::size_t input = 0; input < 2; ++input) {
    const port_range& lines = its.switches.lines[input];
    const std::size_t first_port = division_.inner_ports(its.number, input).first;
    for_each_set(leaving_[stage + 1].replies, lines, next.active_replies(), 1,
                 [&](std::size_t line) {
                   enter(its, stage, line - lines.first + first_port, next.release_reply(line));
                 });
  }
}

void divided_network::release_replies(std::size_t part) {
  network_part& its = parts_[part];
  for (std::size_t stage = 1; !is_inner(stage - 1); ++stage) {
    switch_column& column = columns_[stage];
    for (const port_range& lines : its.switches.lines) {
      for_each_set(leaving_[stage].replies, lines, column.active_replies(), 1,
                   [&](std::size_t line) { column.release_reply(line); });
    }
  }
  for (std::size_t stage = 0; stage < columns_.size(); ++stage) {
    switch_column& column = columns_[stage];
    if (!column.settles()) continue;
    column.settle(its.switches.ports, leaving_[stage], its.partners, its.totals[stage]);
  }
}

}  // namespace tributary

// SPDX-License-Identifier: Apache-2.0
// The protocols of one node together: one table of handlers, one of rules, one piece of memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tributary/controller/handler_request.h>
#include <tributary/controller/message.h>
#include <tributary/controller/protocol.h>
#include <tributary/memory/line.h>
#include <tributary/sim/statistics.h>

namespace tributary {

/// What a node offers its protocols.
struct protocol_site {
  node_id node{};
  std::uint32_t nodes = 1;           ///< of the machine
  std::uint64_t storage = 0;         ///< first byte that protocols may have, by offset in the node
  std::uint64_t memory_bytes = 0;    ///< of the node
  std::vector<facility> facilities;  ///< that the controller has
  line_size line{};                  ///< of the node's memory; a payload holds one
};

/// Protocols that run side by side on one node, in the order in which they are given: their
/// handlers are numbered one after the other, their rules follow each other, and their storage too.
///
/// A message type from `first_protocol_type` on belongs to the one protocol that has rules for it.
/// Protocols share the common types below it: each takes those that its filters let through, and
/// the earlier protocol comes first.
class protocol_set {
 public:
  /// Throws `configuration_error` for a facility that the controller does not have, for two
  /// protocols that rule one type, a rule that names no handler or can never be chosen, handlers
  /// with a name of another, pages that cannot be, and storage beyond the node's memory.
  protocol_set(const protocol_site& site, std::vector<std::unique_ptr<protocol>> protocols);

  /// The names of all handlers by number, as "block_transfer.setup".
  const std::vector<std::string>& handler_names() const { return handler_names_; }
  /// The names of all types of messages by number, "type 17" where there is none.
  std::vector<std::string> message_names() const;
  /// By type of messages; null where there is none.
  std::vector<message_number> message_numbers() const;
  /// Of all protocols.
  std::vector<noncoherent_page> noncoherent_pages() const;
  /// Of all protocols together.
  operated_words operations() const;
  /// Of the one protocol that has them. Throws `configuration_error` if two do.
  std::optional<checked_blocks> checked() const;
  /// All rules, with the numbers of handlers as in `handler_names`.
  const std::vector<dispatch_rule>& rules() const { return rules_; }
  /// The name of a handler, or "handler 17" if there is none of that number.
  std::string name_of(handler_id run) const;
  /// The handler with the full name, or `no_handler`.
  handler_id find(std::string_view name) const;

  /// Adds the occupancies by one invocation, by number of the handler, of those that ran.
  void report_occupancies(statistics_group& into, const std::vector<average>& occupancies) const;

  std::size_t size() const { return placed_.size(); }
  protocol& at(std::size_t place) { return *placed_[place].implementation; }
  const protocol& at(std::size_t place) const { return *placed_[place].implementation; }
  /// Where a protocol's state lies.
  const protocol_storage& storage(std::size_t place) const { return placed_[place].where; }
  /// The first byte behind all storage, at a line's start.
  std::uint64_t storage_end() const { return storage_end_; }

  /// Lets each protocol write its state as it is before the first cycle.
  void initialize(word_memory& memory);

 private:
  struct placed_protocol {
    std::unique_ptr<protocol> implementation;
    std::string name;
    protocol_storage where;
  };

  /// Throws `configuration_error` for pages that are no powers of two or begin elsewhere, and for
  /// two distances at which lines are dropped.
  void check_pages() const;
  void check_facilities(const placed_protocol& placed, const std::vector<facility>& has) const;
  void place(placed_protocol& placed, const protocol_site& site);
  void add_handlers(const placed_protocol& placed);
  void add_rules(const placed_protocol& placed);
  void check_rule(const placed_protocol& placed, const dispatch_rule& rule) const;

  std::vector<placed_protocol> placed_;
  std::vector<std::string> handler_names_;
  std::vector<dispatch_rule> rules_;
  std::vector<std::string> rule_owners_;
  line_size line_;
  std::uint64_t storage_end_ = 0;
};

/// Makes the protocols of one node.
using protocol_maker = std::function<std::vector<std::unique_ptr<protocol>>(node_id)>;

}  // namespace tributary

// SPDX-License-Identifier: Apache-2.0
// What passes between a running handler and the controller that runs it.
#pragma once

#include <cstdint>

#include <tributary/controller/message.h>
#include <tributary/memory/line_port.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/state.h>

namespace tributary {

/// A handler of the machine's protocols, by its place among all of them.
enum class handler_id : std::uint16_t {};
/// None of them.
inline constexpr handler_id no_handler{0xffff};

/// Operations at which a handler suspends, because they see another unit (FLASH 9.1).
enum class handler_operation : std::uint8_t {
#define TRIBUTARY_HANDLER_OPERATION(name, promptly, result, parameters, asks, gives, meaning) name,
#include <tributary/controller/operations.def>
  finish  ///< the handler has ended
};

/// One operation, `spent` cycles of the protocol processor after the handler's beginning.
struct handler_request {
  handler_operation operation = handler_operation::finish;
  std::uint64_t spent = 0;
  message header;
  std::uint64_t address = 0;
  word_t value = 0;
  std::uint64_t number = 0;
  payload_handle data = no_payload;
  payload_handle second = no_payload;
  handler_id run = no_handler;

  TRIBUTARY_STATE(operation, spent, header, address, value, number, data, second, run);
};

/// What the controller found, in cycle `at` in which the handler goes on.
struct handler_answer {
  cycle_t at = 0;
  word_t value = 0;
  payload_handle data = no_payload;

  TRIBUTARY_STATE(at, value, data);
};

/// Bytes at the start of a record that a queue of deferred handlers uses: next, previous, header,
/// address and handler (FLASH 2.3.5: one format shared by all protocols).
inline constexpr std::uint64_t deferred_record_bytes = 40;

}  // namespace tributary

// SPDX-License-Identifier: Apache-2.0
// Messages between interfaces that know words, addresses and counters, as
// models/tributary/nic/interface_message.h has them.
package message_interface_pkg;

  // What a message is, of those that an interface serves.
  typedef enum logic [3:0] {
    MessageRead        = 4'd0,  // asks for data
    MessageWrite       = 4'd1,  // brings data to an address
    MessageAcknowledge = 4'd2,  // of a write
    MessageTagged      = 4'd3   // for the processor
  } message_e;

  // Why a message was dropped, or a command of the processor had no effect.
  typedef enum logic [2:0] {
    ErrorNone      = 3'd0,
    ErrorType      = 3'd1,  // none that an interface sends
    ErrorLength    = 3'd2,  // above the greatest packet, or no multiple of 4
    ErrorAddress   = 3'd3,  // no multiple of 8, or a broadcast that reads
    ErrorCounter   = 3'd4,  // beyond the bank
    ErrorUnderflow = 3'd5,  // a counter at 0 was counted down
    ErrorRefused   = 3'd6   // software has no translation for its page
  } error_e;

  typedef logic [7:0]  number_t;   // of a counter: more than a bank has can be asked for
  typedef logic [15:0] counter_t;

  // What is done to a remote counter in one step: if it is 0 it becomes `initial_value`, then it is
  // counted down.
  typedef struct packed {
    logic     interrupts;     // if it is 0 then
    number_t  number;
    counter_t initial_value;
  } counter_command_t;

  // The header of the oldest message of a channel, in the widths of the models. The engine takes
  // this type as a parameter and knows it by its fields.
  typedef struct packed {
    logic             valid;        // a message waits
    logic [3:0]       kind;         // a message_e, or what a faulty sender wrote
    logic             everyone;     // by hardware broadcast
    logic             acknowledge;  // of a write
    logic             has_local;    // a counter of the node that asked
    number_t          local_number;
    logic             counts;       // on a remote counter
    counter_command_t remote;
    logic [16:0]      size;         // bytes of body; of a read those it asks for
    logic [14:0]      body_words;   // of 8 bytes, that came
    logic [63:0]      address;      // where it writes or reads
  } header_t;

  // What the receive engine is at.
  typedef enum logic [2:0] {
    PhaseIdle,       // chooses a channel
    PhaseDecode,     // looks at the header
    PhaseTranslate,  // looks for the page in the TLB
    PhaseMove,       // a word to or from memory
    PhaseAnswer,     // hands what it answers to the reply buffer
    PhaseCount,      // counts
    PhaseStore       // hands the message to the receive buffer
  } receive_phase_e;

endpackage

// SPDX-License-Identifier: Apache-2.0
// A fetch-and-phi as an extension of the generic payload.
#pragma once

#include <tributary/memory/operation.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

/// Asks for the old value of an aligned word of 8 bytes and, in one indivisible step, for its
/// replacement by a function of it.
///
/// It travels with TLM_IGNORE_COMMAND, data length 8, streaming width 8 or more, no byte enables,
/// an address that is a multiple of 8 and a data pointer to 8 bytes, so that a target that does not
/// know it does nothing. The initiator sets the function, which leaves `performed()` false. Who
/// performs it sets result and `performed()`, copies the result to the data pointer in the host's
/// byte order, and sets the response status, all before BEGIN_RESP or the return of b_transport. A
/// response that is OK while `performed()` is false means that nothing was done.
///
/// What travels is a function of a word (form and two operands) and not an operation, because a
/// request that combined in a network is in general none: the composition of a fetch-and-or with a
/// fetch-and-xor is a logic function with masks of its own.
class fetch_op : public tlm::tlm_extension<fetch_op> {
 public:
  /// Asks for the word alone: the identity.
  fetch_op() = default;
  explicit fetch_op(const word_function& function) : function_(function) {}

  /// An operation with its operands, those of `function_of`.
  static fetch_op of(operation op, word_t e = 0, word_t f = 0) {
    return fetch_op(function_of(op, e, f));
  }

  /// Initiator: asks anew, so that one extension serves many transactions.
  void ask(const word_function& function);

  const word_function& function() const { return function_; }

  /// Whether it was performed; the result means nothing before.
  bool performed() const { return performed_; }
  /// The word before the operation.
  word_t result() const { return result_; }

  /// Target: replaces `word` and keeps what it held.
  void perform_on(word_t& word);
  /// It was performed elsewhere: `old_word` is what the word held.
  void answer(word_t old_word);

  tlm::tlm_extension_base* clone() const override { return new fetch_op(*this); }
  /// Copies the function, the result and whether it was performed; `other` must be a fetch_op.
  void copy_from(const tlm::tlm_extension_base& other) override;

 private:
  word_function function_;
  word_t result_ = 0;
  bool performed_ = false;
};

/// Initiator: makes `payload` ask for `request` on the word at `address`, with the 8 bytes at
/// `data` for the old value. Sets every attribute but the memory manager; neither extension nor
/// data are owned by the payload, and both must outlive the transaction.
void set_fetch_op(tlm::tlm_generic_payload& payload, std::uint64_t address, unsigned char* data,
                  fetch_op& request);

/// TLM_OK_RESPONSE where `payload` is a fetch-and-phi as described above, else the response that
/// refuses it: a command, address, burst or byte enable error. A null data pointer is a generic
/// error. Precondition: the payload carries the extension.
tlm::tlm_response_status fetch_op_status(const tlm::tlm_generic_payload& payload);

/// Target: performs the extension of `payload` on the 8 bytes at `word` (host order, any
/// alignment), gives the old value to extension and data pointer, and sets the response status;
/// refuses with `fetch_op_status` and leaves `word` alone where that is not OK.
/// Precondition: the payload carries the extension.
void perform_fetch_op(tlm::tlm_generic_payload& payload, unsigned char* word);

}  // namespace tributary

// SPDX-License-Identifier: Apache-2.0
#include <tributary/protocols/hold_off.h>

namespace tributary {

void hold_off::begin(handler_context& context) const {
  context.store(base_ + count, context.load(base_ + count) + 1);
}

void hold_off::end(handler_context& context) const {
  const word_t left = context.load(base_ + count) - 1;
  context.store(base_ + count, left);
  if (left != 0 || !refuses(context)) return;
  context.store(base_ + waits, 0);
  const word_t waiting = context.load(base_ + reader);
  if (waiting == 0) return;
  context.store(base_ + reader, 0);
  context.answer(static_cast<std::uint8_t>(waiting - 1), 1);
}

void hold_off::change(handler_context& context, bool obsoletes) const {
  if (obsoletes) context.store(base_ + changed, context.load(base_ + changed) + 1);
  if (context.load(base_ + count) != 0) context.store(base_ + waits, 1);
}

void hold_off::answer_when_free(handler_context& context) const {
  if (!refuses(context)) {
    context.answer(1);
  } else if (context.load(base_ + reader) != 0) {
    context.answer(0);
  } else {
    context.store(base_ + reader, context.keep_read() + word_t{1});
  }
}

}  // namespace tributary

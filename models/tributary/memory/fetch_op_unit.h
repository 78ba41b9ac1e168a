// SPDX-License-Identifier: Apache-2.0
// The arithmetic next to a memory module that makes a fetch-and-phi atomic (FG 2).
#pragma once

#include <tributary/memory/packet.h>
#include <tributary/memory/word_store.h>

namespace tributary {

/// Performs a request on the words and returns the old word, for every operation, stores included.
inline word_t perform_fetch_op(const packet& request, word_store& words) {
  const word_t old = words.read(request.location);
  if (request.kind != form::identity) {
    words.write(request.location, apply(request.function(), old));
  }
  return old;
}

}  // namespace tributary

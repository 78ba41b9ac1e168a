// SPDX-License-Identifier: Apache-2.0
#include <tributary/sim/random_stream.h>

int main() {
  tributary::random_stream first(1, 2, 3);
  tributary::random_stream second(1, 2, 3);
  return first.next_u64() == second.next_u64() ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
#include "types.h"

void bind(tlm::tlm_target_socket<64, PROTOCOL>& memory, tributary::combining_network& network) {
  network.initiator_sockets[0].bind(memory);
}

int sc_main(int, char**) { return 0; }

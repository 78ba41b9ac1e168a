// SPDX-License-Identifier: Apache-2.0
// What shows the state of a verilated switch, relative to this folder (-F); after tributary.f.
contents.vlt
occupancy_probe.sv

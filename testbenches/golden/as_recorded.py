# SPDX-License-Identifier: Apache-2.0
"""Texts of today in the form of which the hashes were taken.

Hashes are not taken again when results get another form; what went is put back here.
"""

# An input that nothing was ever connected to, between the network's lanes and the software queue.
_LAST_LANE = ".inbox.fourth_lane.held_for_buffer "
_UNUSED_INPUT = (
    '.inbox.io.selected {"kind": "counter", "unit": "messages", "value": 0}',
    '.inbox.io.held_for_space {"kind": "counter", "unit": "cycles", "value": 0}',
    '.inbox.io.held_for_buffer {"kind": "counter", "unit": "cycles", "value": 0}',
)


# Statistics that came after the hashes.
_ADDED = (
    "account.messages.bytes ",
    "interface.hot.",
    "interface.cold.",
    "interface.loads.",
    "interface.atomics.",
    "machine.computing ",
    "machine.handling ",
    "run.settled",
    "run.latency_drift",
    "run.backlog_drift",
    "time.",
    "transfer.dropped_cycles ",
    "transfer.line_back_cycles ",
    "transfer.payload ",
    "transfer.read_latency ",
    "transfer.refused_lines ",
    "workload.samples.round_trip ",
)


def statistics(lines):
    """The lines of a run's statistics."""
    for line in lines:
        if line.startswith(_ADDED):
            continue
        yield line
        node, found, _ = line.partition(_LAST_LANE)
        if found:
            yield from (node + unused for unused in _UNUSED_INPUT)


# --- event logs and value change dumps, which had a form for each platform ---

_ENDS = {"element": "pe", "module": "mm"}
_REQUEST_KINDS = (
    "accepted",
    "inserted",
    "combined",
    "departed",
    "served",
    "replied",
    "decombined",
    "reply_departed",
    "delivered",
)
_NODE_KINDS = (
    "processor_request",
    "processor_answer",
    "selected",
    "handled",
    "sent",
    "departed",
    "arrived",
    "buffer_taken",
    "buffer_freed",
    "memory_read",
    "memory_written",
)
_LANES = ("request", "reply", "third", "fourth")
_SERIAL_COUNT_BITS = 20


def log(text):
    """An event log."""
    head, _, *lines, last = text.splitlines()
    if head.endswith((" smp", " cluster")):
        return text  # which never had another format
    events = [_event(line) for line in lines]
    if head.endswith(" ultracomputer"):
        rows = _network_rows(events)
        heading = _NETWORK_HEADING
    else:
        rows = _node_rows(events)
        heading = _NODE_HEADING
    return "\n".join([*heading, *rows, f"{last.rsplit(' ', 1)[0]} {len(rows)}"]) + "\n"


_NETWORK_HEADING = (
    "# tributary-event-log 1",
    "# cycle\tstage\tswitch\tport\tevent\trequest\tform\taddress\tvalue\tother",
)
_NODE_HEADING = (
    "# tributary-node-log 1",
    "# cycle\tlast\tnode\tevent\thandler\tnumber\taddress\ttype\tsource\tdestination\tlane\t"
    "bytes\tvalue",
)


def _event(line):
    fields = line.split("\t")
    names = ("cycle", "last", "track", "kind", "identity", "parent", "address", "value")
    event = dict(zip(names, fields, strict=False))
    event["cycle"], event["last"] = int(event["cycle"]), int(event["last"])
    event["track"] = event["track"].split(".")
    if fields[8] != "-":
        event |= dict(each.split("=") for each in fields[8].split(" "))
    return event


def _network_rows(events):
    """In the order of places, not of tracks; without intervals of programs."""
    placed = []
    for event in events:
        if event["kind"] not in _REQUEST_KINDS:
            continue
        first, *numbers = event["track"]
        place = [int(each) for each in numbers if each.isdigit()]
        stage = _ENDS.get(first, place[0])
        where = [place[0], 0] if first in _ENDS else place[1:]
        level = {"pe": -1, "mm": 1 << 20}.get(stage, stage)
        pe, sequence = (int(each) for each in event["identity"].split("."))
        order = _REQUEST_KINDS.index(event["kind"])
        row = (event["cycle"], stage, *where, event["kind"], event["identity"], event["form"],
               event["address"], event["value"], event["parent"])  # fmt: skip
        placed.append(((event["cycle"], level, *where, order, pe, sequence), row))
    return ["\t".join(map(str, row)) for _, row in sorted(placed)]


def _node_rows(events):
    sent_by, serials = {}, {}
    rows = []
    for group in _groups(events):
        keyed = []
        for event in group:
            kind, last = event["kind"], event["last"]
            if kind in ("handled", "departed", "arrived"):
                last += 1
            if kind == "departed":
                source = int(event["source"])
                count = sent_by[source] = sent_by.get(source, -1) + 1
                serials[event["identity"]] = source << _SERIAL_COUNT_BITS | count
            number = _number(event, serials)
            order = _NODE_KINDS.index(kind)
            key = (len(_NODE_KINDS),) if kind.startswith("memory") else (
                order, 1, event["cycle"], last, number, int(event["address"].replace("-", "0"), 16),
                int(event.get("type", 0)), int(event["value"].replace("-", "0"), 16))  # fmt: skip
            rest = [event.get(name, "-") for name in ("type", "source", "destination", "lane")]
            if "lane" in event:
                rest[3] = _LANES.index(event["lane"])
            row = (event["cycle"], last, event["track"][1], kind, event.get("handler", "-"), number,
                   event["address"], *rest, event.get("bytes", "-"), event["value"])  # fmt: skip
            keyed.append((key, "\t".join(map(str, row))))
        rows += [row for _, row in sorted(keyed, key=lambda each: each[0])]
    return rows


def _groups(events):
    """The events of one node in one cycle; those of memory come last in it and tell no cycle."""
    group, now = [], None
    for event in events:
        is_memory = event["kind"].startswith("memory")
        told = event["last"] + 1 if event["kind"] == "handled" else event["cycle"]
        after_memory = bool(group) and group[-1]["kind"].startswith("memory")
        if group and (
            event["track"][1] != group[0]["track"][1]
            or (not is_memory and (after_memory or told != now))
        ):
            yield group
            group = []
        if not is_memory:
            now = told
        group.append(event)
    if group:
        yield group


def _number(event, serials):
    kind = event["kind"]
    if kind in ("selected", "handled"):
        return event["input"]
    if kind.startswith("processor"):
        return int(event["tag"])
    if kind.startswith("buffer"):
        return int(event["track"][-1])
    return serials[event["identity"]] if kind in ("departed", "arrived") else 0


def vcd(text):
    """A value change dump: elements and modules had a scope around them."""
    lines = []
    for line in text.splitlines():
        scope = line.split(" ")[2] if line.startswith("$scope") else ""
        if scope.startswith(("element_0", "module_0")):
            lines.append(f"$scope module {scope[:-2]}s $end")
        closes = scope == "stage_0" or line == "$enddefinitions $end"
        if closes:
            lines.insert(-1 if line.startswith("$end") else len(lines), "$upscope $end")
        lines.append(line)
    return "\n".join(lines) + "\n"

# SPDX-License-Identifier: Apache-2.0
"""The answers that the page gives, decided by the measured values alone.

Each answer is a `Finding`, a sentence and what it says without its numbers. By the second the page
sees whether several libraries agree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import mul, truediv
from typing import Final

from tributary_explore.errors import ExploreError

from .bands import Band, Outcome, below, rank
from .circuits import AT_EXIT, DESIGNS, ON_ARRIVAL, Circuit, Library
from .networks import HOT_SPOT, POLLING, SATURATION, UNIFORM, Networks

AGGRESSIVE: Final = "aggressive"
NO_COMBINING: Final = "no combining"
WAIT_BUFFER: Final = "wait_buffer"

_NAMES: Final = {
    POLLING: "Polling one word",
    HOT_SPOT: "With a tenth of the requests to one word",
}


@dataclass(frozen=True)
class Finding:
    """An answer."""

    says: tuple[object, ...]
    """The same for the same answer with other numbers."""
    text: str
    """One sentence or several."""


@dataclass(frozen=True)
class Study:
    """Everything measured that concerns one library."""

    library: Library
    networks: Networks

    def latency(self, load: str, elements: int, cycles: bool = False) -> dict[str, Band]:
        """Of each design, in FO4 or in its own cycles."""
        clocks = self.library.named()
        return {
            design: sizes[elements].band * (Band(1, 1) if cycles else clocks[design].fo4)
            for design, sizes in self.networks.loads[load].items()
            if elements in sizes
        }

    def throughput(self, elements: int) -> dict[str, Band]:
        """Requests that the network takes of an element in an FO4, saturated by uniform traffic."""
        clocks = self.library.named()
        return {
            design: sizes[elements].band / clocks[design].fo4
            for design, sizes in self.networks.loads[SATURATION].items()
            if elements in sizes
        }

    def slowness(self, elements: int) -> dict[str, Band]:
        """FO4 between two of these requests."""
        return {design: Band(1, 1) / each for design, each in self.throughput(elements).items()}


def percent(now: float, before: float) -> str:
    """A change as `63 %`, without sign."""
    return f"{abs(now / before - 1) * 100:.0f} %"


def _span(ratios: Sequence[float]) -> str:
    """Changes as `5 to 17 %`, without sign."""
    changes = sorted(abs(each - 1) * 100 for each in ratios)
    low, high = f"{changes[0]:.0f}", f"{changes[-1]:.0f}"
    return f"{low} %" if low == high else f"{low} to {high} %"


def _times(ratios: Sequence[float]) -> str:
    """Ratios as `2.6 to 6.6 times`."""
    low, high = f"{min(ratios):.1f}", f"{max(ratios):.1f}"
    return f"{low} times" if low == high else f"{low} to {high} times"


def sizes_text(sizes: Sequence[int], all_sizes: Sequence[int]) -> str:
    """`16 to 64, 2048`: runs of neighbours among all sizes."""
    runs: list[list[int]] = []
    for size in sizes:
        follows = runs and all_sizes.index(runs[-1][-1]) + 1 == all_sizes.index(size)
        if follows:
            runs[-1].append(size)
        else:
            runs.append([size])
    parts = [str(run[0]) if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs]
    return _listed(parts)


def contest(study: Study, load: str) -> Finding:
    """Whether the aggressive switch has the least latency, in cycles and in FO4, at which sizes."""
    sizes = study.networks.sizes(load)
    in_cycles = {n: rank(AGGRESSIVE, study.latency(load, n, cycles=True)) for n in sizes}
    in_fo4 = {n: rank(AGGRESSIVE, study.latency(load, n)) for n in sizes}
    text = f"{_NAMES[load]}, the {AGGRESSIVE} switch {_ranks(in_cycles, sizes)}"
    if in_cycles == in_fo4:
        text += ", in cycles and in FO4."
    else:
        text += f" in cycles; in FO4 it {_ranks(in_fo4, sizes)}."
    return Finding((load, *in_cycles.items(), *in_fo4.items()), text)


@dataclass(frozen=True)
class _Case:
    """A number beside the one that it is set against."""

    one: Band
    other: Band
    ratio: float
    """Of the two as the tables have them: by the fastest recipes, and by means."""


def cost(study: Study) -> Finding:
    """What the named designs cost a machine whose requests never combine, against the switch that
    does not combine."""
    named = study.library.named()
    plain = _wanted(named, NO_COMBINING, study)
    others = [each for design, each in named.items() if design != NO_COMBINING]
    cycle = [_Case(each.fo4, plain.fo4, each.fo4.low / plain.fo4.low) for each in others]
    area = [_Case(each.nand2, plain.nand2, each.nand2.low / plain.nand2.low) for each in others]
    latency = _cases(study, UNIFORM, lambda n: study.latency(UNIFORM, n), mul)
    throughput = _cases(study, SATURATION, study.throughput, truediv)
    found = (
        _against(cycle, "longer", "shorter"),
        _against(area, "as large", "as large", _times),
        _against(latency, "higher", "lower"),
        _against(throughput, "higher", "lower"),
    )
    text = (
        "Against a switch that does not combine, the cycle of those that do is {}, their area {}; "
        "the latency of uniform traffic is {}, its throughput at saturation {}."
    ).format(*[each.text for each in found])
    return Finding(tuple(each.says for each in found), text)


def _cases(
    study: Study,
    load: str,
    bands_at: Callable[[int], Mapping[str, Band]],
    by_cycle: Callable[[float, float], float],
) -> list[_Case]:
    """Of a load at each size, the designs that combine beside the one that does not; `by_cycle`
    makes of a mean and a cycle in FO4 what the tables have."""
    clocks = study.library.named()
    cases = []
    for n in study.networks.sizes(load):
        bands = bands_at(n)
        values = {
            design: by_cycle(sizes[n].mean, clocks[design].fo4.low)
            for design, sizes in study.networks.loads[load].items()
        }
        cases += [
            _Case(band, bands[NO_COMBINING], values[design] / values[NO_COMBINING])
            for design, band in bands.items()
            if design != NO_COMBINING
        ]
    return cases


def _against(
    cases: Sequence[_Case],
    more: str,
    less: str,
    said: Callable[[Sequence[float]], str] = _span,
) -> Finding:
    """How far numbers are above or below those that they are set against, where they surely
    are."""
    above = [each.ratio for each in cases if below(each.other, each.one)]
    under = [each.ratio for each in cases if below(each.one, each.other)]
    parts = [f"{said(some)} {word}" for some, word in ((above, more), (under, less)) if some]
    if len(above) + len(under) < len(cases):
        parts.append("the same within the noise")
    return Finding((bool(above), bool(under), len(parts)), " or ".join(parts))


def wait_buffer_limit(study: Study) -> Finding:
    """From how many entries on the wait buffer makes the cycle longer, with the sum on arrival and,
    where that was synthesised, at the exit, where less else is in the way."""
    early = wait_buffer_clocks(study.library)
    if len(early) < 2:
        raise ExploreError(
            f"{study.library.name}: nothing was synthesised with several wait buffers; the point "
            f"list needs an experiment {WAIT_BUFFER}"
        )
    found = _limit(early, "The wait buffer")
    late = wait_buffer_clocks(study.library, AT_EXIT)
    if len(late) < 2:
        return found
    other = _limit(late, "With the sum at the exit it")
    says = (found.says, other.says)
    if found.says[0] is None and other.says == found.says:
        text = f"{found.text[:-1]}, with the sum on arrival or at the exit."
        return Finding(says, text)
    return Finding(says, f"{found.text} {other.text}")


def _limit(circuits: Sequence[Circuit], what: str) -> Finding:
    """Of circuits that differ in their wait buffers alone, the fewest entries first."""
    first = circuits[0]
    entries = [_entries(each) for each in circuits]
    longer = next((each for each in circuits if below(first.fo4, each.fo4)), None)
    if longer is None:
        text = (
            f"{what} does not make the cycle longer within the noise at any size up to "
            f"{entries[-1]} entries."
        )
        return Finding((None, entries[-1]), text)
    at = _entries(longer)
    fits = max(n for n in entries if n < at)
    text = (
        f"{what} may have {fits} entries before the cycle grows: with {at} it is "
        f"{percent(longer.fo4.low, first.fo4.low)} longer than with {entries[0]}."
    )
    return Finding((fits, at), text)


def wait_buffer_paths(study: Study) -> Finding:
    """The cycle with the smallest and with the largest wait buffer, and with how many entries the
    wait buffer has more of the critical path than any other block; for the sum on arrival and, if
    it was synthesised, at the exit."""
    parts: list[str] = []
    says: list[object] = []
    for formed, where in ((ON_ARRIVAL, "on arrival"), (AT_EXIT, "at the exit")):
        circuits = wait_buffer_clocks(study.library, formed)
        if len(circuits) < 2:
            continue
        least, most = circuits[0], circuits[-1]
        critical = [
            str(_entries(each))
            for each in circuits
            if each.critical_block.endswith(WAIT_BUFFER)  # of the first or the second switch
        ]
        at = f"with {_listed(critical)} entries" if critical else "at no size"
        parts.append(
            f"With the sum {where} the fastest recipe takes {least.fo4.low:.1f} FO4 with "
            f"{_entries(least)} and {most.fo4.low:.1f} with {_entries(most)} entries; the largest "
            f"part of its critical path is in the wait buffer {at}."
        )
        says.append(tuple(critical))
    return Finding(tuple(says), " ".join(parts))


def _entries(circuit: Circuit) -> int:
    """Of its wait buffers."""
    return int(circuit.parameters["wait_buffer_entries"])


def wait_buffer_clocks(library: Library, formed: str = ON_ARRIVAL) -> list[Circuit]:
    """Two switches by entries of the wait buffer, the fewest first, all else as in the named design
    that the experiment is of, but for where the sum is formed."""
    named = library.named()
    designs = {each.design for each in library.of(WAIT_BUFFER)}
    by_entries = {}
    for each in library.clocks:
        entries = each.parameters["wait_buffer_entries"]
        changed = {"wait_buffer_entries": entries, "sum": formed}
        if each.design in designs and each.parameters == {
            **named[each.design].parameters,
            **changed,
        }:
            by_entries[int(entries)] = each
    return [by_entries[entries] for entries in sorted(by_entries)]


def sums(library: Library) -> list[tuple[Circuit, Circuit]]:
    """Two switches with the sum formed on arrival, and the same with it formed at the exit; each
    circuit once, by the first name that it has."""
    pairs: list[tuple[Circuit, Circuit]] = []
    for late in library.clocks:
        if late.parameters["sum"] != AT_EXIT:
            continue
        wanted = {**late.parameters, "sum": ON_ARRIVAL}
        of_design = (each for each in library.clocks if each.design == late.design)
        early = next((each for each in of_design if each.parameters == wanted), None)
        if early is not None and all(early.parameters != each.parameters for each, _ in pairs):
            pairs.append((early, late))
    return pairs


def cheap_step(study: Study) -> Finding:
    """What it gains to form the sum as the head leaves."""
    pairs = sums(study.library)
    if not pairs:
        raise ExploreError(
            f"{study.library.name}: nothing was synthesised with the sum at the exit and on "
            f"arrival; the point list needs circuit.sum {ON_ARRIVAL} and {AT_EXIT}"
        )
    gains = [(early, late) for early, late in pairs if below(late.fo4, early.fo4)]
    losses = [(early, late) for early, late in pairs if below(early.fo4, late.fo4)]
    parts = []
    for some, word in ((gains, "shorter"), (losses, "longer")):
        if not some:
            continue
        span = _span([late.fo4.low / early.fo4.low for early, late in some])
        parts.append(f"{span} {word} in {len(some)} of {len(pairs)} switches")
    if parts and len(gains) + len(losses) < len(pairs):
        parts.append("the same within the noise in the others")
    text = (
        "Formed as the head leaves instead of on arrival, the sum makes the cycle "
        f"{_listed(parts)}."
        if parts
        else "Where the sum is formed makes no difference within the noise."
    )
    return Finding(tuple(len(each) for each in (pairs, gains, losses)), text)


def with_step(study: Study) -> Study | None:
    """The same machines with the sum formed at the exit in every named design that combines; None
    if not all of them were synthesised so."""
    named = study.library.named()
    pairs = sums(study.library)
    late = {
        design: replace(late, experiment=DESIGNS, design=design)
        for design, circuit in named.items()
        for early, late in pairs
        if early.parameters == circuit.parameters
    }
    if named.keys() - late.keys() != {NO_COMBINING}:
        return None
    circuits = tuple(late.get(design, circuit) for design, circuit in named.items())
    return replace(study, library=replace(study.library, circuits=circuits))


def winner_with_step(study: Study) -> Finding:
    """Whether the aggressive switch still wins in polling if all are built so; empty if that was
    not synthesised."""
    stepped = with_step(study)
    if stepped is None:
        return Finding((), "")
    found = contest(stepped, POLLING)
    answer = found.text[0].lower() + found.text[1:]
    return Finding(found.says, f"With it in all designs that combine: {answer}")


def agree(studies: Sequence[Study], find: Callable[[Study], Finding]) -> str:
    """An answer of all libraries: said once if they agree, with the numbers of the first."""
    groups: dict[tuple[object, ...], list[tuple[str, Finding]]] = {}
    for study in studies:
        finding = find(study)
        groups.setdefault(finding.says, []).append((study.library.name, finding))
    if len(groups) == 1:
        return next(iter(groups.values()))[0][1].text
    return " ".join(
        f"With {_listed([name for name, _ in group])}: {group[0][1].text}"
        for group in groups.values()
    )


def _ranks(ranks: Mapping[int, Outcome], sizes: Sequence[int]) -> str:
    parts = []
    for outcome, verb in (
        (Outcome.BEST, "is the fastest"),
        (Outcome.OPEN, "cannot be told from the fastest"),
        (Outcome.WORSE, "is slower than another"),
    ):
        at = [n for n in sizes if ranks[n] is outcome]
        if at:
            every = "every size from " if at == list(sizes) else ""
            where = f"at {every}{sizes_text(at, sizes)} PEs"
            parts.append(f"{verb} {where}")
    return _listed(parts)


def _wanted(named: Mapping[str, Circuit], design: str, study: Study) -> Circuit:
    if design not in named:
        raise ExploreError(f"{study.library.name}: the design {design} was not synthesised")
    return named[design]


def _listed(parts: Sequence[str]) -> str:
    """One, two and three."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"

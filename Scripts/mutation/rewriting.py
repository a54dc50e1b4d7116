"""Puts changes into the text of a file, and finds by a position in it which change is there."""

import bisect
from dataclasses import dataclass


@dataclass
class Span:
    """Where the texts around a place have come to lie: offsets in the changed file."""

    place: object
    prefix_start: int = 0
    prefix_end: int = 0
    suffix_start: int = 0
    suffix_end: int = 0


def nesting(place):
    """Outer places first; around the same expression those that make a statement of it first."""
    return place.start, -place.end, place.prefix.startswith("("), place.number


class ChangedFile:
    """A source file that holds the original and all of its changes; no line has moved."""

    def __init__(self, text, places):
        self.places = sorted(places, key=nesting)
        self.spans = {place.id: Span(place) for place in self.places}
        self.text = self._assembled(text)
        self.line_starts = [0] + [index + 1 for index, byte in enumerate(self.text) if byte == 0x0A]

    def _insertions(self):
        """By offset: the ends of inner places, the ends of outer ones, the starts of outer ones, of inner ones."""
        insertions = []
        for order, place in enumerate(self.places):
            insertions.append((place.start, 1, order, place, True))
            insertions.append((place.end, 0, -order, place, False))
        return sorted(insertions, key=lambda insertion: insertion[:3])

    def _assembled(self, text):
        parts, length, position = [], 0, 0
        for offset, _, _, place, is_prefix in self._insertions():
            inserted = (place.prefix if is_prefix else place.suffix).replace("\0", str(place.number)).encode()
            parts += [text[position:offset], inserted]
            start = length + offset - position
            length = start + len(inserted)
            position = offset
            span = self.spans[place.id]
            if is_prefix:
                span.prefix_start, span.prefix_end = start, length
            else:
                span.suffix_start, span.suffix_end = start, length
        return b"".join(parts + [text[position:]])

    def guilty(self, line, column):
        """The places that an error at a position may be about, and whether it is surely about them."""
        offset = self.line_starts[min(line, len(self.line_starts)) - 1] + column - 1
        spans = self.spans.values()
        inside = [span.place for span in spans if span.prefix_start <= offset < span.prefix_end]
        if inside:
            return inside, True
        for candidates in (
            [span.place for span in spans if span.prefix_start <= offset < span.suffix_end],
            [span.place for span in spans if self._is_on(line, span)],
            [place for place in self.places if place.statement[0] <= line <= place.statement[1]],
            [place for place in self.places if place.declaration[0] <= line <= place.declaration[1]],
        ):
            if candidates:
                return candidates, len(candidates) == 1
        return list(self.places), False

    def _is_on(self, line, span):
        return self._line(span.prefix_start) <= line <= self._line(span.suffix_end)

    def _line(self, offset):
        return bisect.bisect_right(self.line_starts, offset)

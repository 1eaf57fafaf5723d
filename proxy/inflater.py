"""What was compressed, decoded piece by piece and never more of it at once than was asked for.

Source:
    RFC 1950 (zlib) and RFC 1952 (gzip).
"""

from __future__ import annotations

import zlib

GZIP_OR_ZLIB = zlib.MAX_WBITS | 32
"""Source: the manual of zlib, inflateInit2."""


class Inflater:
    """Decodes gzip and zlib; members that follow each other are one text (RFC 1952, section 2.2)."""

    def __init__(self) -> None:
        self._decoder = zlib.decompressobj(GZIP_OR_ZLIB)
        self._rest = b""
        self._has_begun = False

    @property
    def has_rest(self) -> bool:
        """Whether some of what was fed is not decoded yet."""
        return bool(self._rest)

    @property
    def is_whole(self) -> bool:
        """Whether what was fed ends where an encoded text ends; nothing at all is whole."""
        return not self._rest and (self._decoder.eof or not self._has_begun)

    def feed(self, data: bytes) -> None:
        """Take encoded bytes."""
        self._rest += data
        self._has_begun = True

    def take(self, max_bytes: int) -> bytes:
        """Decode what was fed, up to a number of decoded bytes.

        Raises:
            zlib.error: it is neither gzip nor zlib.
        """
        taken = b""
        while self._rest and len(taken) < max_bytes:
            if self._decoder.eof:
                self._decoder = zlib.decompressobj(GZIP_OR_ZLIB)
            taken += self._decoder.decompress(self._rest, max_bytes - len(taken))
            self._rest = self._decoder.unused_data or self._decoder.unconsumed_tail
        return taken

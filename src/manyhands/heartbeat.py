"""Which process of a group is gone: each says in the group's store that it lives, and reads what the others say."""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import Any, Self

from .errors import ProcessError

__all__ = ["Heartbeat"]

EVERY = 1.0  # seconds between beats
SILENT = 4.0  # after an error of the group: who said nothing for so long is gone
HUNG = 40.0  # without an error: who said nothing for so long is given up
LEFT, GAVE_UP = "left ", "gave up "  # by an error of its own; because of another process


class Heartbeat:
    """A thread that beats while the process lives; `verdict` names who died, `reason` what a process said on leaving.

    store: torch.distributed's (TCP or file); processes that the store's own host loses are lost with it.
    """

    def __init__(self, store: Any, rank: int, size: int):
        self.store, self.rank, self.size = store, rank, size
        self._seen = {other: ("", time.monotonic()) for other in range(size) if other != rank}
        self._store_lost: float | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="manyhands-heartbeat", daemon=True)

    def __enter__(self) -> Self:
        self.store.set(_key(self.rank), "0")
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Say why, if it is by an error: the others then name the cause, not its consequence."""
        self._stop.set()
        self._thread.join(EVERY * 5)
        if error is None:
            return
        self._say(
            f"{GAVE_UP}{error}"
            if isinstance(error, ProcessError)
            else f"{LEFT}{type(error).__name__}: {error}"
        )
        if self.rank == 0:
            time.sleep(SILENT)  # it may keep the store, where the others are to read

    def lost(self, seconds: float) -> dict[int, str]:
        """The others that left or said nothing for so long, each with what is known of it."""
        now = time.monotonic()
        found = {}
        for other, (said, when) in sorted(self._seen.items()):
            if said.startswith(LEFT):
                found[other] = said.removeprefix(LEFT)
            elif now - when > seconds and not said.startswith(GAVE_UP):
                found[other] = f"it said nothing for {now - when:.0f} s: killed, or its host is gone"
        if self._store_lost is not None and 0 in self._seen and not found:
            found[0] = "the group's store, which it keeps, is gone: killed, or its host is gone"
        return found

    def verdict(self, error: BaseException) -> ProcessError:
        """After an error of the group: waits until it is plain who is gone, and says so."""
        until = time.monotonic() + SILENT + 3 * EVERY
        while not (found := self.lost(SILENT)) and time.monotonic() < until:
            time.sleep(EVERY / 4)
        if found:
            return self.error(found)
        told = [said.removeprefix(GAVE_UP) for said, _ in self._seen.values() if said.startswith(GAVE_UP)]
        return ProcessError(told[0] if told else f"the group of processes broke: {error}")

    def error(self, found: dict[int, str]) -> ProcessError:
        """The error that names them."""
        who = "; ".join(
            f"process {rank} of {self.size} (rank {rank}) stopped: {why}" for rank, why in found.items()
        )
        return ProcessError(
            f"{who}. Begin anew, under `torchrun --max-restarts` by itself", ranks=list(found)
        )

    def _run(self) -> None:
        beat = 0
        while not self._stop.wait(EVERY):
            beat += 1
            self._say(str(beat))
            self._listen()

    def _say(self, what: str) -> None:
        try:
            self.store.set(_key(self.rank), what)
        except Exception:  # of the store's own library: it has no common type
            self._store_lost = self._store_lost or time.monotonic()

    def _listen(self) -> None:
        try:
            for other, (before, _) in list(self._seen.items()):
                if self.store.check([_key(other)]):
                    said = self.store.get(_key(other)).decode()
                    if said != before:
                        self._seen[other] = (said, time.monotonic())
        except Exception:  # as above
            self._store_lost = self._store_lost or time.monotonic()


def _key(rank: int) -> str:
    return f"manyhands/heartbeat/{rank}"

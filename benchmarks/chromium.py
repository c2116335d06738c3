"""A real browser without a window, driven over a pipe by the DevTools protocol. Standard library only."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

__all__ = ["NEEDED", "Browser", "Page", "chromium", "install_chromium"]

NEEDED = "needs Chromium: apt-get install chromium"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
WAIT = 60.0  # seconds for an answer


def chromium() -> str | None:
    """The browser's program, if there is one."""
    return os.environ.get("MANYHANDS_CHROMIUM") or next((p for p in map(shutil.which, NAMES) if p), None)


def install_chromium() -> str | None:
    """The same; where there is none and Debian's can be had, it is installed first."""
    if chromium() is None and os.geteuid() == 0 and shutil.which("apt-get"):
        commands = (
            ["apt-get", "update", "-qq"],
            ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"],
        )
        with suppress(subprocess.SubprocessError, OSError):
            for command in commands:
                subprocess.run(command, check=True, capture_output=True, timeout=600)
    return chromium()


class Browser:
    """Started on entering, gone on leaving, with all that it wrote."""

    def __enter__(self) -> Self:
        program = chromium()
        if program is None:
            raise SystemExit(NEEDED)
        self._profile = tempfile.mkdtemp()
        (theirs, self._out), (self._in, ours) = os.pipe(), os.pipe()
        command = [
            program, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--hide-scrollbars",
            "--disable-dev-shm-usage", "--disable-background-networking", "--no-first-run", f"--user-data-dir={self._profile}",
            "about:blank",
        ]  # fmt: skip
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False,
            start_new_session=True, preexec_fn=lambda: _place(theirs, ours),
        )  # fmt: skip
        os.close(theirs)
        os.close(ours)
        self._rest, self._count, self.events = b"", 0, []  # type: ignore[var-annotated]
        return self

    def __exit__(self, *error: object) -> None:
        with suppress(Exception):
            self.ask("Browser.close")
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(10)
        self._process.kill()
        self._process.wait()
        os.close(self._out)
        os.close(self._in)
        shutil.rmtree(self._profile, ignore_errors=True)

    def ask(self, method: str, session: str | None = None, **params: Any) -> dict[str, Any]:
        """Send a command, and wait for its answer; events that come before are kept."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next(time.monotonic() + WAIT)
            if answer.get("id") == self._count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, method: str, session: str) -> None:
        """Until such an event has come."""
        end = time.monotonic() + WAIT
        while not any(e.get("method") == method and e.get("sessionId") == session for e in self.events):
            self.events.append(self._next(end))

    def open(
        self, url: str, *, width: int = 1280, height: int = 900, dark: bool = False, scale: float = 1
    ) -> Page:
        """A page of its own, loaded."""
        return Page(self, url, width, height, dark, scale)

    def _next(self, end: float) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._in], [], [], max(end - time.monotonic(), 0))
            part = os.read(self._in, 1 << 20) if ready else b""
            if not part:
                raise RuntimeError("the browser gives no answer")
            self._rest += part
        message, self._rest = self._rest.split(b"\0", 1)
        return json.loads(message)


def _place(theirs: int, ours: int) -> None:
    """Chromium listens on descriptor 3 and answers on 4."""
    high = [os.dup(fd) for fd in (theirs, ours)]
    high = [fd if fd > 4 else os.dup(os.dup(fd)) for fd in high]
    for fd, wanted in zip(high, (3, 4), strict=True):
        os.dup2(fd, wanted)


class Page:
    """What a reader sees, and what the browser says about it."""

    def __init__(self, browser: Browser, url: str, width: int, height: int, dark: bool, scale: float):
        self.browser = browser
        target = browser.ask("Target.createTarget", url="about:blank")["targetId"]
        self._target = target
        self.session = browser.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")
        self.resize(width, height, scale)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", features=[scheme])
        self.ask("Page.navigate", url=url)
        browser.wait_for("Page.loadEventFired", self.session)
        self.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))")

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """A command about this page."""
        return self.browser.ask(method, self.session, **params)

    def resize(self, width: int, height: int, scale: float = 1) -> None:
        """The size of the window; a narrow one is a telephone's."""
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=scale,
            mobile=width < 600,
        )

    def evaluate(self, expression: str) -> Any:
        """The value of an expression in the page."""
        found = self.ask(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True, userGesture=True
        )
        if "exceptionDetails" in found:
            raise RuntimeError(json.dumps(found["exceptionDetails"])[:2000])
        return found["result"].get("value")

    def press(self, key: str) -> None:
        """A key, as the keyboard sends it."""
        codes = {"Tab": 9, "Enter": 13, " ": 32}
        text = {"Enter": "\r", " ": " "}.get(key)
        for kind in ("keyDown", "keyUp"):
            extra = {"text": text} if text and kind == "keyDown" else {}
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, code={" ": "Space"}.get(key, key),
                     windowsVirtualKeyCode=codes.get(key, 0), **extra)  # fmt: skip

    def screenshot(self, path: Path, full: bool = False, jpeg: bool = False) -> Path:
        """What is seen, or (full) the whole length of the page."""
        options: dict[str, Any] = {"format": "jpeg", "quality": 80} if jpeg else {"format": "png"}
        if full:
            size = self.ask("Page.getLayoutMetrics")["cssContentSize"]
            options |= {"captureBeyondViewport": True, "clip": {**size, "scale": 1}}
        path.write_bytes(base64.b64decode(self.ask("Page.captureScreenshot", **options)["data"]))
        return path

    def accessibility(self) -> list[dict[str, Any]]:
        """The tree that a screen reader gets."""
        return self.ask("Accessibility.getFullAXTree")["nodes"]

    @property
    def complaints(self) -> list[str]:
        """Errors and warnings of the console, exceptions, and what the browser logs."""
        found = []
        for event in self._events():
            method, params = event["method"], event["params"]
            if method == "Runtime.exceptionThrown":
                found.append(json.dumps(params["exceptionDetails"])[:1000])
            if method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
                found.append(json.dumps(params["args"])[:1000])
            if method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                found.append(params["entry"]["text"])
        return found

    @property
    def requests(self) -> list[str]:
        """Every address that was asked for, the page's own first; what is inside the page is none."""
        urls = [
            e["params"]["request"]["url"]
            for e in self._events()
            if e["method"] == "Network.requestWillBeSent"
        ]
        return [url for url in urls if not url.startswith(("data:", "about:"))]

    def close(self) -> None:
        """Leave it."""
        self.browser.ask("Target.closeTarget", targetId=self._target)

    def _events(self) -> list[dict[str, Any]]:
        self.evaluate("0")  # so that all that was said has come
        return [e for e in self.browser.events if e.get("sessionId") == self.session]

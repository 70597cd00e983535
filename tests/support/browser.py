"""A headless Chromium for tests, steered by the WebDriver protocol: JSON over HTTP, so that no client is needed."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
import tempfile
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Any, Self

START = re.compile(rb"successfully on port (\d+)")
ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-dev-shm-usage",
    "--window-size=1300,1600",
)


def browser_available() -> bool:
    """Whether this machine has Chromium and its driver."""
    return shutil.which("chromium") is not None and shutil.which("chromedriver") is not None


class Browser:
    """One window of a browser that belongs to the test alone."""

    def __init__(self) -> None:
        self.directory = tempfile.mkdtemp(prefix="chromium-")
        command = ["chromedriver", "--port=0"]
        self.driver = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            self.address = f"http://127.0.0.1:{self._port()}"
            arguments = [*ARGUMENTS, f"--user-data-dir={self.directory}"]
            capabilities = {
                "goog:chromeOptions": {"args": arguments, "binary": shutil.which("chromium")},
                "goog:loggingPrefs": {"browser": "ALL"},
            }
            made = self.call("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
            self.session = f"/session/{made['sessionId']}"
        except BaseException:
            self.close()
            raise

    def _port(self) -> int:
        assert self.driver.stdout is not None
        for line in self.driver.stdout:
            found = START.search(line)
            if found is not None:
                return int(found[1])
        raise RuntimeError("chromedriver did not start")

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """Send a command of the protocol; return its value."""
        data = None if method == "GET" else json.dumps(body or {}).encode()
        request = urllib.request.Request(self.address + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def open(self, page: Path) -> None:
        """Show a file."""
        self.call("POST", f"{self.session}/url", {"url": page.as_uri()})

    def run(self, script: str) -> Any:
        """Run a script in the page; return its value."""
        return self.call("POST", f"{self.session}/execute/sync", {"script": script, "args": []})

    def resize(self, width: int, height: int) -> None:
        """Give pages a room of this size, also one that is smaller than a window may be."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.devtools("Emulation.setDeviceMetricsOverride", size)

    def prefer(self, scheme: str, media: str = "") -> None:
        """Have pages know that the reader prefers light or dark, and the medium: "print" for paper."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.devtools("Emulation.setEmulatedMedia", {"media": media, "features": features})

    def disable_scripts(self, disabled: bool) -> None:
        """Have pages that are opened from now on run no script of theirs."""
        self.devtools("Emulation.setScriptExecutionDisabled", {"value": disabled})

    def drag(self, selector: str, start: float, end: float) -> None:
        """Press the mouse at a share of an element's width, move to another one, and release it."""
        box = self.run(f"const box = document.querySelector('{selector}').getBoundingClientRect(); return box.toJSON()")
        y = int(box["top"] + box["height"] / 2)
        moves = [
            {"type": "pointerMove", "duration": 0, "x": int(box["left"] + box["width"] * share), "y": y}
            for share in (start, (start + end) / 2, end)
        ]
        down, up = ({"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp"))
        mouse = {"type": "pointer", "id": "mouse", "actions": [moves[0], down, *moves[1:], up]}
        self.call("POST", f"{self.session}/actions", {"actions": [mouse]})

    def picture(self, width: int, height: int, scale: float) -> bytes:
        """Return the upper left part of the page as a PNG, scaled."""
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": scale}
        found = self.devtools("Page.captureScreenshot", {"format": "png", "clip": clip})
        return base64.b64decode(found["data"])

    def devtools(self, command: str, parameters: dict[str, Any]) -> Any:
        """Send a command of Chromium's own protocol; return its result."""
        return self.call("POST", f"{self.session}/goog/cdp/execute", {"cmd": command, "params": parameters})

    def console(self) -> list[dict[str, Any]]:
        """Return what was written to the console since the last call."""
        messages: list[dict[str, Any]] = self.call("POST", f"{self.session}/se/log", {"type": "browser"})
        return messages

    def screenshot(self) -> bytes:
        """Return the window as a PNG."""
        return base64.b64decode(self.call("GET", f"{self.session}/screenshot"))

    def close(self) -> None:
        """End the browser, then its driver."""
        if hasattr(self, "session"):
            self.call("DELETE", self.session)
        self.driver.terminate()
        self.driver.wait(30)
        if self.driver.stdout is not None:
            self.driver.stdout.close()
        shutil.rmtree(self.directory, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

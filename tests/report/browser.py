"""A headless Chromium, driven through its debugging pipe: no package needed."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-pipe",
)


def find_chromium() -> str | None:
    """Return the path of Chromium or Chrome, None if there is none."""
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    return next((found for name in names if (found := shutil.which(name))), None)


def read_axe() -> str:
    """Return the script that lists what axe-core finds, all of it."""
    path = os.environ.get("AXE_CORE")
    if not path:
        pytest.skip("set AXE_CORE to the file axe.min.js of the npm package axe-core")
    return Path(path).read_text("utf-8") + (
        ";axe.run().then(result => result.violations.map(v => [v.impact, v.id, "
        "v.nodes.slice(0, 3).map(n => n.html.slice(0, 200))]))"
    )


def start_browser(executable: str, attempts: int = 3) -> Browser:
    """Start Chromium, again if it hangs: on busy machines it sometimes does."""
    for left in reversed(range(attempts)):
        browser = Browser(executable)
        try:
            browser.open_page()
        except AssertionError:
            browser.close()
            if not left:
                raise
        else:
            break
    return browser


class Browser:
    """One page of one Chromium, with what it logged and what it asked for."""

    def __init__(self, executable: str) -> None:
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_read, self.out = os.pipe()
        self.inp, to_write = os.pipe()
        command = [executable, *FLAGS, f"--user-data-dir={self.folder.name}"]
        # The browser reads commands from descriptor 3 and answers on 4.
        shell = f'exec "$@" 3<&{to_read} 4>&{to_write}'
        self.process = subprocess.Popen(
            ["bash", "-c", shell, "bash", *command],
            pass_fds=(to_read, to_write),
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(to_write)
        self.buffer, self.last, self.session = b"", 0, None
        self.requests: list[str] = []
        self.problems: list[str] = []

    def open_page(self) -> None:
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self.last:
                assert "error" not in answer, answer["error"]
                return answer["result"]
            self._note(answer)

    def _next(self, timeout: float = 30) -> dict[str, Any]:
        end = time.monotonic() + timeout
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.inp], [], [], end - time.monotonic())
            assert ready, "Chromium does not answer"
            piece = os.read(self.inp, 1 << 16)
            assert piece, "Chromium has ended"
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def _note(self, event: dict[str, Any]) -> None:
        parameters = event.get("params", {})
        match event.get("method"):
            case "Network.requestWillBeSent":
                self.requests.append(parameters["request"]["url"])
            case "Runtime.exceptionThrown":
                self.problems.append(json.dumps(parameters["exceptionDetails"]))
            case "Log.entryAdded" if parameters["entry"]["level"] == "error":
                self.problems.append(parameters["entry"]["text"])
            case "Runtime.consoleAPICalled" if parameters["type"] in (
                "error",
                "warning",
            ):
                self.problems.append(json.dumps(parameters["args"]))

    def open(
        self, path: Path, width: int = 1200, scheme: str = "light", fragment: str = ""
    ) -> None:
        self.requests.clear()
        self.problems.clear()
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=900,
            deviceScaleFactor=1,
            mobile=width < 500,
        )
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.call("Emulation.setEmulatedMedia", features=[feature])
        address = path.as_uri() + (f"#{fragment}" if fragment else "")
        # Another fragment alone would not load the page again.
        self.call("Page.navigate", url="about:blank")
        self.requests.clear()
        self.call("Page.navigate", url=address)
        while self.run("document.readyState") != "complete":
            time.sleep(0.02)
        # Two frames later observers and layouts have run.
        self.run("new Promise(r => requestAnimationFrame(() => setTimeout(r, 50)))")

    def run(self, expression: str) -> Any:
        result = self.call(
            "Runtime.evaluate",
            expression=expression,
            awaitPromise=True,
            returnByValue=True,
        )
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def press(self, key: str, text: str = "") -> None:
        codes = {"ArrowLeft": 37, "ArrowRight": 39, "Enter": 13}
        more = {"windowsVirtualKeyCode": codes[key]} if key in codes else {}
        for kind in ("keyDown", "keyUp"):
            said = {"text": text} if text and kind == "keyDown" else {}
            self.call(
                "Input.dispatchKeyEvent", type=kind, key=key, code=key, **more, **said
            )

    def move_to(self, x: float, y: float) -> None:
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def screenshot(self, path: Path) -> None:
        taken = self.call(
            "Page.captureScreenshot", format="png", captureBeyondViewport=True
        )
        path.write_bytes(base64.b64decode(taken["data"]))

    def close(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.out)
        os.close(self.inp)
        self.folder.cleanup()

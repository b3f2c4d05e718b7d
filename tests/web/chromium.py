"""A browser without a window, led through the pipe of its DevTools: what a person does with a page, and what the page then shows.

    with Chromium("chromium") as browser:
        browser.open("http://127.0.0.1:8000/")
        browser.click("button")
"""

import base64
import fcntl
import functools
import http.server
import json
import os
import pathlib
import subprocess
import tempfile
import threading
import time

PATIENCE = 120  # seconds
KEYS = {"Tab": ("Tab", 9, ""), "Enter": ("Enter", 13, "\r"), " ": ("Space", 32, " "), "ArrowRight": ("ArrowRight", 39, "")}


class Trouble(AssertionError):
    pass


class Chromium:
    def __init__(self, program="chromium", width=1200, height=900, phone=False):
        self.folder = tempfile.TemporaryDirectory()
        self.downloads = pathlib.Path(self.folder.name) / "downloads"
        self.downloads.mkdir()
        self.requests, self.problems = [], []
        self.count = 0
        self._start(program)
        self._attach(width, height, phone)

    def _start(self, program):
        # The browser reads at 3 and writes at 4. Its ends are copied to above, and stay open below until it runs: both numbers are in use then, and
        # nothing that subprocess opens for itself gets them.
        to_browser, from_browser = os.pipe(), os.pipe()
        theirs = [fcntl.fcntl(fd, fcntl.F_DUPFD, 20) for fd in (to_browser[0], from_browser[1])]

        def connect():
            os.dup2(theirs[0], 3)
            os.dup2(theirs[1], 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", "--remote-debugging-pipe",
             "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", f"--user-data-dir={self.folder.name}/profile", "about:blank"],
            preexec_fn=connect, pass_fds=(3, 4), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for fd in (*theirs, to_browser[0], from_browser[1]):
            os.close(fd)
        self.out, self.back = os.fdopen(to_browser[1], "wb", 0), os.fdopen(from_browser[0], "rb", 0)
        self.rest = b""

    def _attach(self, width, height, phone):
        self.session = None
        pages = [each for each in self.call("Target.getTargets")["targetInfos"] if each["type"] == "page"]
        self.session = self.call("Target.attachToTarget", targetId=pages[0]["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "DOM"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)
        self.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(self.downloads))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(30)
        self.out.close()
        self.back.close()
        self.folder.cleanup()

    # --- the protocol

    def _next(self):
        while b"\0" not in self.rest:
            more = self.back.read(1 << 16)
            if not more:
                raise Trouble("the browser has ended")
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def _note(self, message):
        method, params = message.get("method"), message.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description", details["text"]))

    def call(self, method, **params):
        self.count += 1
        message = {"id": self.count, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        self.out.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == message["id"]:
                if "error" in answer:
                    raise Trouble(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self._note(answer)

    # --- what a page shows

    def evaluate(self, script):
        found = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True, userGesture=True)
        if "exceptionDetails" in found:
            raise Trouble(found["exceptionDetails"].get("exception", {}).get("description", script))
        return found["result"].get("value")

    def wait(self, script, seconds=PATIENCE):
        end = time.monotonic() + seconds
        while not (found := self.evaluate(script)):
            if time.monotonic() > end:
                raise Trouble(f"after {seconds} s there is no {script}; the page says: {self.evaluate('document.body.innerText')[:2000]} {self.problems}")
            time.sleep(0.1)
        return found

    def text(self, selector):
        return self.evaluate(f"document.querySelector({json.dumps(selector)})?.innerText ?? null")

    def wait_shown(self, selector, seconds=PATIENCE):
        self.wait(f"(e => e && e.getClientRects().length > 0)(document.querySelector({json.dumps(selector)}))", seconds)

    # --- what a person does

    def open(self, address):
        self.call("Page.navigate", url=address)
        self.wait("document.readyState === 'complete'")

    def _middle(self, selector):
        self.evaluate(f"document.querySelector({json.dumps(selector)}).scrollIntoView({{block: 'center'}})")
        return self.evaluate(f"(r => [r.x + r.width / 2, r.y + r.height / 2])(document.querySelector({json.dumps(selector)}).getBoundingClientRect())")

    def click(self, selector):
        x, y = self._middle(selector)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def drop(self, selector, path):
        x, y = self._middle(selector)
        data = {"items": [], "files": [str(path)], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            self.call("Input.dispatchDragEvent", type=kind, x=x, y=y, data=data)

    def key(self, name):
        code, number, text = KEYS[name]
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=code, windowsVirtualKeyCode=number, **({"text": text} if text and kind == "keyDown" else {}))

    def downloaded(self, name, seconds=PATIENCE):
        path, end = self.downloads / name, time.monotonic() + seconds
        while not path.is_file():
            if time.monotonic() > end:
                raise Trouble(f"{name} was not offered; there are {[each.name for each in self.downloads.iterdir()]}: {self.text('.pg-trouble')}")
            self.evaluate("1")
            time.sleep(0.1)
        return path

    def go_offline(self):
        self.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)

    def picture(self, path, bottom, top=0):
        width = self.evaluate("document.documentElement.clientWidth")
        clip = {"clip": {"x": 0, "y": top, "width": width, "height": bottom - top, "scale": 1}, "captureBeyondViewport": True}
        pathlib.Path(path).write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png", **clip)["data"]))


class Served:
    """A folder behind HTTP, at a port that is free."""

    def __init__(self, folder):
        class Quiet(http.server.SimpleHTTPRequestHandler):
            extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".js": "text/javascript", ".wasm": "application/wasm"}

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
        self.address = f"http://127.0.0.1:{self.server.server_port}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

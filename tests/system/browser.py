#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Opens a page in Debian's headless Chromium, and prints what it shows.

browser.py PROFILE URL SCRIPT SECONDS WIDTHxHEIGHT=SCREENSHOT...

For each size: opens the page, evaluates the JavaScript expression SCRIPT until it is not null, for
SECONDS at most, and writes a screenshot. Prints a line of JSON for each: {"size", "value",
"requests": URLs, "errors": messages of the console}. Talks to Chromium by its DevTools protocol
over two pipes, so that it needs no port and no library.
"""

import base64
import itertools
import json
import os
import select
import subprocess
import sys
import time


class Browser:
    def __init__(self, profile, deadline):
        self.deadline = deadline
        self.buffer = b""
        self.events = []
        self.numbers = itertools.count(1)
        to_browser, self.out = os.pipe()
        self.inp, from_browser = os.pipe()

        def pipes():
            os.dup2(to_browser, 13)
            os.dup2(from_browser, 14)
            os.dup2(13, 3)
            os.dup2(14, 4)

        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
             "--disable-background-networking", "--disable-component-update",
             "--disable-sync", "--remote-debugging-pipe", "--user-data-dir=" + profile],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=pipes, close_fds=False)
        os.close(to_browser)
        os.close(from_browser)

    def receive(self):
        """Returns the next message; None at the deadline."""
        while b"\0" not in self.buffer:
            left = self.deadline - time.monotonic()
            if left <= 0 or not select.select([self.inp], [], [], left)[0]:
                return None
            octets = os.read(self.inp, 1 << 20)
            if not octets:
                sys.exit("chromium has ended")
            self.buffer += octets
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, **params):
        """Returns the result of a method; events that come before it are kept."""
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer is None:
                sys.exit(f"no answer to {method}")
            if answer.get("id") != number:
                self.events.append(answer)
            elif "error" in answer:
                sys.exit(f"{method}: {answer['error']}")
            else:
                return answer["result"]

    def open(self, width, height):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(domain + ".enable", session)
        self.call("Emulation.setDeviceMetricsOverride", session, width=width, height=height,
                  deviceScaleFactor=1, mobile=width < 600)
        return session

    def value_of(self, session, script):
        """Evaluates the script until it has a value; it may fail while the page is loaded."""
        result = None
        while time.monotonic() < self.deadline:
            result = self.call("Runtime.evaluate", session, expression=script, returnByValue=True)
            value = result["result"].get("value")
            if value is not None and "exceptionDetails" not in result:
                return value
            time.sleep(0.05)
        sys.exit(f"the script has no value: {result}")

    def screenshot(self, session, width, path):
        size = self.call("Page.getLayoutMetrics", session)["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": width, "height": min(size["height"], 4000), "scale": 1}
        data = self.call("Page.captureScreenshot", session, clip=clip,
                         captureBeyondViewport=True)["data"]
        with open(path, "wb") as f:
            f.write(base64.b64decode(data))

    def requests_and_errors(self, session):
        requests, errors = [], []
        for event in self.events:
            method, params = event.get("method"), event.get("params", {})
            if event.get("sessionId") != session:
                continue
            if method == "Network.requestWillBeSent":
                requests.append(params["request"]["url"])
            elif method == "Runtime.exceptionThrown":
                errors.append(str(params["exceptionDetails"]))
            elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
                errors.append(str(params["args"]))
            elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                errors.append(params["entry"]["text"])
        return requests, errors


def main():
    profile, url, script, seconds = sys.argv[1:5]
    browser = Browser(profile, time.monotonic() + float(seconds))
    for argument in sys.argv[5:]:
        size, path = argument.split("=", 1)
        width, height = map(int, size.split("x"))
        session = browser.open(width, height)
        browser.call("Page.navigate", session, url=url)
        value = browser.value_of(session, script)
        browser.screenshot(session, width, path)
        requests, errors = browser.requests_and_errors(session)
        print(json.dumps({"size": size, "value": value, "requests": requests, "errors": errors}))
    browser.call("Browser.close")
    browser.process.wait()


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens a page in a headless Chromium, does what it is asked on standard input, and says as JSON what happened.

Speaks the DevTools protocol over two pipes (descriptors 3 and 4 of the browser, messages that end with NUL), so that no port
is opened and no package is needed. Asked, as JSON: `path` of the page; `width`, `height`, `dark`, `print` (the medium),
`scripts` (false switches them off) of the screen; `steps`, a list of {"evaluate": EXPRESSION}, {"key": NAME, "count": N},
{"move": SELECTOR} and {"open": PATH, "width": N} (another page); `tree` for the accessibility tree; `screenshot` and `pdf`, files to be written.
Said: `requests` but for that of the page itself, `messages` of console, log and exceptions, `values` of the expressions, `tree`.
Usage: browser.py CHROMIUM FOLDER <request, where FOLDER is an empty one that the browser may use
"""
import base64
import json
import os
import subprocess
import sys
import time

SECONDS = 120
KEYS = {"Tab": ("Tab", 9, ""), "Enter": ("Enter", 13, "\r"), "Space": ("Space", 32, " ")}


class Browser:
    """A browser and the messages that go to it and come from it."""

    def __init__(self, program, folder):
        to_read, self.to_write = os.pipe()
        self.to_hear, to_speak = os.pipe()
        pipes = (to_read, to_speak)

        def place():
            # By way of higher descriptors, lest one of the two is overwritten by the other.
            first, second = os.dup(pipes[0]), os.dup(pipes[1])
            first, second = (os.dup(d) if d < 5 else d for d in (first, second))
            os.dup2(first, 3)
            os.dup2(second, 4)

        arguments = [
            program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-extensions", "--disable-background-networking", "--disable-component-update",
            "--allow-file-access-from-files=0", "--hide-scrollbars", "--remote-debugging-pipe",
            "--user-data-dir=" + folder + "/profile", "about:blank"]
        environment = dict(os.environ, HOME=folder, XDG_CACHE_HOME=folder, XDG_CONFIG_HOME=folder, TMPDIR=folder)
        self.log = open(folder + "/browser.log", "wb")
        self.process = subprocess.Popen(
            arguments, close_fds=False, preexec_fn=place, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
            env=environment, start_new_session=True)
        for pipe in pipes:
            os.close(pipe)
        self.buffer, self.number, self.events, self.session, self.opened = b"", 0, [], None, []
        self.deadline = time.monotonic() + SECONDS

    def message(self):
        import select
        while b"\0" not in self.buffer:
            left = self.deadline - time.monotonic()
            if left <= 0 or not select.select([self.to_hear], [], [], left)[0]:
                raise SystemExit(f"the browser said nothing for too long (of {SECONDS} s in all)")
            part = os.read(self.to_hear, 1 << 16)
            if not part:
                raise SystemExit("the browser ended")
            self.buffer += part
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        number = self.number
        message = {"id": number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to_write, data):]
        while True:
            answer = self.message()
            if answer.get("id") == number:
                if "error" in answer:
                    raise SystemExit(f"{method}: {answer['error']}")
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def wait(self, method):
        while not any(event["method"] == method for event in self.events):
            answer = self.message()
            if "method" in answer:
                self.events.append(answer)

    def end(self):
        import signal
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        self.log.close()


def resize(browser, width, height=800):
    browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)


def prepare(browser, asked):
    target = browser.call("Target.createTarget", url="about:blank")["targetId"]
    browser.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    for domain in ("Page", "Runtime", "Network", "Log"):
        browser.call(domain + ".enable")
    resize(browser, asked.get("width", 1000), asked.get("height", 800))
    scheme = {"name": "prefers-color-scheme", "value": "dark" if asked.get("dark") else "light"}
    browser.call(
        "Emulation.setEmulatedMedia", media="print" if asked.get("print") else "screen", features=[scheme])
    if asked.get("scripts") is False:
        browser.call("Emulation.setScriptExecutionDisabled", value=True)


def value(browser, expression):
    result = browser.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
    if "exceptionDetails" in result:
        raise SystemExit(f"{expression}: {result['exceptionDetails']}")
    return result["result"].get("value")


def press(browser, name):
    code, number, text = KEYS[name]
    common = {"key": text if name == "Space" else name, "code": code, "windowsVirtualKeyCode": number}
    browser.call("Input.dispatchKeyEvent", type="keyDown", **common, **({"text": text} if text else {}))
    browser.call("Input.dispatchKeyEvent", type="keyUp", **common)


def visit(browser, path):
    browser.events = [event for event in browser.events if event["method"] != "Page.loadEventFired"]
    browser.opened.append("file://" + os.path.abspath(path))
    browser.call("Page.navigate", url=browser.opened[-1])
    browser.wait("Page.loadEventFired")


def do(browser, step):
    if "evaluate" in step:
        return value(browser, step["evaluate"])
    if "key" in step:
        for _ in range(step.get("count", 1)):
            press(browser, step["key"])
        return None
    if "open" in step:
        if "width" in step:
            resize(browser, step["width"])
        return visit(browser, step["open"])
    selector = json.dumps(step["move"])
    place = value(browser, f"(() => {{ const e = document.querySelector({selector}); e.scrollIntoView({{block: 'center'}});"
                           " const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()")
    browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=place[0], y=place[1])
    return place


def texts(browser):
    nodes = browser.call("Accessibility.getFullAXTree")["nodes"]
    return [
        {"role": node.get("role", {}).get("value", ""), "name": node.get("name", {}).get("value", "")}
        for node in nodes if not node.get("ignored")]


def write(path, data):
    with open(path, "wb") as file:
        file.write(base64.b64decode(data))


def said(browser):
    requests, messages = [], []
    for event in browser.events:
        method, about = event["method"], event["params"]
        if method == "Network.requestWillBeSent":
            url = about["request"]["url"]
            if url not in browser.opened and not url.startswith("data:"):
                requests.append(url)
        elif method == "Runtime.consoleAPICalled":
            messages.append(" ".join(str(argument.get("value", "")) for argument in about["args"]))
        elif method == "Runtime.exceptionThrown":
            messages.append("exception: " + about["exceptionDetails"]["text"])
        elif method == "Log.entryAdded":
            messages.append(about["entry"]["text"])
    return {"requests": requests, "messages": messages}


def main():
    asked = json.load(sys.stdin)
    browser = Browser(sys.argv[1], sys.argv[2])
    try:
        prepare(browser, asked)
        visit(browser, asked["path"])
        values = [do(browser, step) for step in asked.get("steps", [])]
        tree = texts(browser) if asked.get("tree") else []
        if asked.get("screenshot"):
            picture = browser.call("Page.captureScreenshot", format="png", captureBeyondViewport=bool(asked.get("whole")))
            write(asked["screenshot"], picture["data"])
        if asked.get("pdf"):
            write(asked["pdf"], browser.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"])
        # A last question, so that everything that was said before it has arrived.
        browser.call("Runtime.getIsolateId")
        print(json.dumps({**said(browser), "values": values, "tree": tree}))
    finally:
        browser.end()


main()

"""What a script made is removed when it ends: by itself, or by SIGINT, SIGTERM or SIGHUP.

    from lib import ending
    ending.prepare()
    ending.at_end(function, *arguments)

A signal first ends all processes that the script started, then the script as an exception does: `with` and `finally`
do their work. Last what was given to `at_end` is called, the last one first. Register a removal before the making,
and let it tolerate that nothing is there. SIGKILL leaves everything.
"""

import atexit
import os
import pathlib
import signal
import sys
import time

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PATIENCE_S = 3

_calls = []


def prepare():
    for number in SIGNALS:
        signal.signal(number, _ended)
    atexit.register(_clean)


def at_end(function, *arguments):
    _calls.append((function, arguments))


def _below(pid):
    """The processes below `pid`, stopped: one that goes on could start another that nobody sees, and end."""
    for children in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found = [int(child) for child in children.read_text().split()]
        except OSError:  # It ended meanwhile.
            continue
        for child in filter(_runs, found):
            _send(child, signal.SIGSTOP)
            yield child
            yield from _below(child)


def _runs(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def end_processes():
    """Ends everything that this process started: SIGTERM, and after PATIENCE_S SIGKILL."""
    seen, begun = set(), time.monotonic()
    while True:
        for pid in list(_below(os.getpid())):
            if pid not in seen:
                _send(pid, signal.SIGTERM)
            _send(pid, signal.SIGCONT)
            seen.add(pid)
        left = [pid for pid in seen if _runs(pid)]
        waited = time.monotonic() - begun
        if not left or waited > 2 * PATIENCE_S:
            return
        if waited > PATIENCE_S:
            for pid in left:
                _send(pid, signal.SIGKILL)
        time.sleep(0.02)


def _send(pid, number):
    try:
        os.kill(pid, number)
    except OSError:
        pass


def _ignore():
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def _ended(number, _):
    _ignore()
    end_processes()
    sys.exit(128 + number)


def _clean():
    _ignore()
    end_processes()
    for function, arguments in reversed(_calls):
        function(*arguments)

"""Who labels what next, over HTTP: the standard library and manyhands.

python examples/assign_server.py RESULT [PORT]        RESULT: what `manyhands aggregate --save` wrote

GET  /next?annotator=ann       {"task": "img-7"}; null: nothing is left for ann
POST /answer                   {"task": "img-7", "annotator": "ann", "label": "cat"}
GET  /consensus                [{"task": "img-7", "label": "cat", "confidence": 0.98, "n": 3}, ...]
"""

from __future__ import annotations

import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import manyhands as mh


class Desk(BaseHTTPRequestHandler):
    """Hands out tasks and takes answers, one request at a time."""

    live: mh.assignment.Live

    def do_GET(self) -> None:
        """A task for somebody, or the consensus so far."""
        place = urlsplit(self.path)
        who = parse_qs(place.query).get("annotator", [""])[0]
        if place.path == "/next" and who:
            self._say(200, {"task": self.live.ask(who)})
        elif place.path == "/consensus":
            self._say(200, self.live.consensus().to_dicts())
        else:
            self._say(404, {"error": "ask for /next?annotator=NAME or /consensus"})

    def do_POST(self) -> None:
        """An answer."""
        try:
            said = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
            self.live.add(said["task"], said["annotator"], said["label"])
            self._say(200, {"chances": self.live.chances(said["task"]).tolist()})
        except (KeyError, TypeError, ValueError) as error:
            self._say(400, {"error": str(error)})

    def _say(self, code: int, data: Any) -> None:
        body = json.dumps(data).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    Desk.live = mh.assignment.Live(mh.load(sys.argv[1]), confidence=0.99)
    HTTPServer(("127.0.0.1", int(sys.argv[2]) if len(sys.argv) > 2 else 8000), Desk).serve_forever()

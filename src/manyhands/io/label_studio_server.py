"""A running Label Studio: export a project, give predictions back. Standard library only."""

from __future__ import annotations

import json
import os
import xml.etree.ElementTree as xml
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import IO, Any, NamedTuple, NoReturn
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, ProxyHandler, Request, build_opener

from ..errors import FileError, ParameterError
from .tools.label_studio_predictions import Control

__all__ = ["Connection", "LabelStudioServer", "connection"]

ADDRESS, TOKEN = "LABEL_STUDIO_URL", "LABEL_STUDIO_API_KEY"
BATCH = 500
PIECE = 1 << 16
WAIT = 300.0
LOOPBACK = ("127.0.0.1", "localhost", "::1")
TAGS = {"Choices": "class", "Taxonomy": "set", "Rating": "ordinal", "Number": "number", "Labels": "tags"}


class Connection(NamedTuple):
    """Where a server is, and the token that it gave; the token is never shown."""

    address: str
    token: str

    def __repr__(self) -> str:
        return f"Connection(address={self.address!r}, token=...)"


def connection(file: Path | None = None, environment: Mapping[str, str] | None = None) -> Connection:
    """From a file with lines LABEL_STUDIO_URL=... and LABEL_STUDIO_API_KEY=..., or from the environment.

    >>> connection(environment={"LABEL_STUDIO_URL": "http://127.0.0.1:8080/", "LABEL_STUDIO_API_KEY": "secret"})
    Connection(address='http://127.0.0.1:8080', token=...)
    """
    given = dict(os.environ if environment is None else environment) if file is None else _lines(file)
    where = "the environment" if file is None else str(file)
    lacking = [name for name in (ADDRESS, TOKEN) if not given.get(name, "").strip()]
    if lacking:
        raise ParameterError(
            f"{where} says no {' and no '.join(lacking)}: set both in the environment, or put the lines "
            f"{ADDRESS}=... and {TOKEN}=... into a file and name it with --connection"
        )
    address, token = given[ADDRESS].strip().rstrip("/"), given[TOKEN].strip()
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
        raise ParameterError(f"{ADDRESS} of {where} must be like http://127.0.0.1:8080, without a user in it")
    if not token.isascii() or not token.isprintable():
        raise ParameterError(f"{TOKEN} of {where} has characters that no token has")
    return Connection(address, token)


def _lines(file: Path) -> dict[str, str]:
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"cannot be read: {error}", file) from None
    pairs = (line.partition("=") for line in text.splitlines() if "=" in line)
    return {name.strip(): value.strip().strip("\"'") for name, _, value in pairs}


class _SameHost(HTTPRedirectHandler):
    """A redirect to another host would hand it the token."""

    def redirect_request(self, req: Any, fp: Any, code: Any, msg: Any, headers: Any, newurl: str) -> Any:
        if urlsplit(newurl)[:2] != urlsplit(req.full_url)[:2]:
            fp.close()
            raise FileError(
                "leads on to another server, which would get the token: name that one", _path(req)
            )
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class LabelStudioServer:
    """The few calls that pulling and pushing take."""

    def __init__(self, where: Connection):
        self._where = where
        is_near = urlsplit(where.address).hostname in LOOPBACK
        handlers = [_SameHost, ProxyHandler({})] if is_near else [_SameHost]
        self._opener: OpenerDirector = build_opener(*handlers)
        self._access: str | None = None

    def export(self, project: int, handle: IO[bytes], form: str = "JSON") -> None:
        """Copy the export of a project, with its unlabelled tasks, into a file."""
        path = f"/api/projects/{project}/export?exportType={form}&download_all_tasks=true"
        self._copy(path, handle)

    def stored_predictions(self, project: int, handle: IO[bytes]) -> None:
        """Copy the predictions of a project into a file."""
        self._copy(f"/api/predictions/?project={project}", handle)

    def controls(self, project: int) -> dict[str, tuple[Control, str]]:
        """The tags of a project that take labels, by name, with the kind of label."""
        settings = json.loads(self._call(f"/api/projects/{project}/"))
        try:
            tags = list(xml.fromstring(settings["label_config"]).iter())
        except (xml.ParseError, KeyError, TypeError) as error:
            raise FileError(
                f"has a labelling interface that cannot be read ({error})", self._where.address
            ) from None
        return {
            tag.get("name", ""): (Control(tag.get("name", ""), tag.get("toName", "").split(",")[0]), _kind(tag))
            for tag in tags if tag.tag in TAGS
        }  # fmt: skip

    def push(self, project: int, predictions: Iterable[Mapping[str, Any]]) -> int:
        """Give predictions to a project, some hundred at a time; how many the server took."""
        taken, rest = 0, iter(predictions)
        while batch := list(islice(rest, BATCH)):
            answer = json.loads(self._call(f"/api/projects/{project}/import/predictions", batch))
            taken += int(answer.get("created", 0)) if isinstance(answer, dict) else 0
        return taken

    def _copy(self, path: str, handle: IO[bytes]) -> None:
        for piece in self._pieces(path, None):
            handle.write(piece)

    def _call(self, path: str, body: Any = None) -> bytes:
        return b"".join(self._pieces(path, body))

    def _pieces(self, path: str, body: Any) -> Iterator[bytes]:
        headers = {"Authorization": self._authorization(), "Accept": "application/json"}
        yield from self._send(path, body, headers)

    def _send(self, path: str, body: Any, headers: dict[str, str]) -> Iterator[bytes]:
        data = None if body is None else json.dumps(body).encode("utf-8")
        extra = {} if body is None else {"Content-Type": "application/json"}
        request = Request(self._where.address + path, data, headers | extra)
        try:
            with self._opener.open(request, timeout=WAIT) as answer:
                while piece := answer.read(PIECE):
                    yield piece
        except HTTPError as error:
            with error:
                self._refused(error, path)
        except (URLError, TimeoutError, OSError) as error:
            if isinstance(error, FileError):
                raise
            reason = getattr(error, "reason", None) or error
            raise FileError(
                f"does not answer: {reason}. Is Label Studio running there?", self._where.address
            ) from None

    def _authorization(self) -> str:
        """A personal access token is changed into one for a few minutes; an older token is used as it is."""
        if not self._where.token.startswith("ey"):
            return f"Token {self._where.token}"
        body = {"refresh": self._where.token}
        answer = json.loads(b"".join(self._send("/api/token/refresh/", body, {"Accept": "application/json"})))
        return f"Bearer {answer['access']}"

    def _refused(self, error: HTTPError, path: str) -> NoReturn:
        cure = {
            401: f"the token ({TOKEN}) is not valid there; copy it again from Account & Settings",
            403: "the token's user may not do this",
            404: "there is no such project",
        }.get(error.code, "")
        said = "" if cure else _detail(error)
        raise FileError(
            f"answered {error.code} to {path.split('?')[0]}: {cure or said}", self._where.address
        ) from None


def _detail(error: HTTPError) -> str:
    try:
        text = error.read(2000).decode("utf-8", "replace")
        answer = json.loads(text)
        return str(answer.get("validation_errors") or answer.get("detail") or text)[:300]
    except (OSError, ValueError, AttributeError):
        return str(error.reason)


def _kind(tag: xml.Element) -> str:
    return "set" if tag.tag == "Choices" and tag.get("choice") == "multiple" else TAGS[tag.tag]


def _path(request: Any) -> str:
    return str(urlsplit(request.full_url).path)

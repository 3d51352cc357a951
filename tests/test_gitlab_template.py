"""The GitLab template: its jobs run on the checkouts that GitLab makes, and the note posted to a server over HTTP."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml

from flakeledger.reporters.comment import MARKER
from pages import ROOT
from service_steps import Done, Hosted, bad, bash, checked_out, good, host, variables
from steps import Edit
from world import CLOCK

TEMPLATE = yaml.safe_load((ROOT / "docs" / "recipes" / "gitlab-template.yml").read_text(encoding="utf-8"))
GATE, POST = TEMPLATE["flakeledger"], TEMPLATE["flakeledger comment"]
COMMENT = "flakeledger-comment.md"


def script(job: Mapping[str, Any], where: Path, **more: str) -> Done:
    """The script of a job as GitLab's runner runs it: one shell for all of its entries, which ends at an error."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return bash("\n".join(job["script"]), where, variables(PATH=path, GITLAB_CI="true", **more))


def merge_request(hosted: Hosted, *, merged: bool) -> dict[str, str]:
    """The variables of a merge request pipeline; `merged`: it runs on the merged result."""
    return {
        "CI_PIPELINE_SOURCE": "merge_request_event",
        "CI_MERGE_REQUEST_IID": "7",
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": hosted.main,
        "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": hosted.work if merged else "",
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
        "CI_COMMIT_SHA": hosted.merge if merged else hosted.work,
        "CI_DEFAULT_BRANCH": "main",
    }


@pytest.mark.parametrize("merged", [True, False], ids=["merged result", "branch"])
@pytest.mark.parametrize(
    ("edit", "code", "said"),
    [(good, 0, "flakeledger refuses nothing in this change"), (bad, 1, "flakeledger refuses this change")],
    ids=["good", "bad"],
)
def test_the_gate_judges_a_merge_request_and_keeps_the_comment(
    edit: Edit, code: int, said: str, merged: bool, tmp_path: Path
) -> None:
    hosted = host(tmp_path / "hosted", edit)
    given = merge_request(hosted, merged=merged)
    fetched = ("+refs/heads/*:refs/remotes/origin/*", f"+{given['CI_COMMIT_SHA']}:refs/pipelines/1")
    world = checked_out(hosted, tmp_path / "checkout", "refs/pipelines/1", *fetched)
    done = script(GATE, world.root, **given)
    assert done.code == code, done.output
    comment = world.read(COMMENT)
    assert comment.startswith(f"{MARKER}\n**{said}**")
    assert f"freeze opened | `{CLOCK}`" in comment
    assert ("mixed-change" in done.output) is (code == 1)
    assert (GATE["artifacts"]["when"], GATE["artifacts"]["paths"]) == ("always", [COMMENT])


def test_the_gate_judges_a_push_to_the_default_branch(tmp_path: Path) -> None:
    hosted = host(tmp_path / "hosted", bad)
    hosted.world.git("merge", "-q", "--ff-only", hosted.merge)
    world = checked_out(hosted, tmp_path / "checkout", "origin/main", "+refs/heads/*:refs/remotes/origin/*")
    given = {"CI_COMMIT_BRANCH": "main", "CI_DEFAULT_BRANCH": "main", "CI_COMMIT_BEFORE_SHA": hosted.main}
    done = script(GATE, world.root, CI_PIPELINE_SOURCE="push", **given)
    assert done.code == 1
    assert "mixed-change" in done.output


def test_without_the_base_the_gate_fails_and_says_so(tmp_path: Path) -> None:
    hosted = host(tmp_path / "hosted", good)
    world = checked_out(hosted, tmp_path / "checkout", hosted.work, "--depth=1", hosted.work)
    done = script(GATE, world.root, **merge_request(hosted, merged=False))
    assert done.code == 2
    assert "`GIT_DEPTH: 0`" in done.output
    assert "flakeledger cannot tell" in world.read(COMMENT)
    assert GATE["variables"]["GIT_DEPTH"] == "0"


class Notes(BaseHTTPRequestHandler):
    """The notes of one merge request, and who asks: what GitLab's interface says of them."""

    notes: list[dict[str, Any]]
    asked: list[tuple[str, str]]

    def _answer(self, value: object, code: int = 200) -> None:
        data = json.dumps(value).encode()
        self.send_response(code)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _body(self) -> str:
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        return parse_qs(text)["body"][0]

    def do_GET(self) -> None:
        if self.headers["PRIVATE-TOKEN"] != "secret":
            self._answer({"message": "401 Unauthorized"}, 401)
        else:
            self._answer({"id": 5} if urlsplit(self.path).path == "/api/v4/user" else self.notes)

    def do_POST(self) -> None:
        self.asked.append(("POST", self.path))
        self.notes.append({"id": 100 + len(self.notes), "author": {"id": 5}, "body": self._body()})
        self._answer(self.notes[-1], 201)

    def do_PUT(self) -> None:
        self.asked.append(("PUT", self.path))
        (note,) = (note for note in self.notes if self.path.endswith(f"/{note['id']}"))
        note["body"] = self._body()
        self._answer(note)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
        """Nothing is printed."""


@pytest.fixture
def server() -> Iterator[ThreadingHTTPServer]:
    Notes.notes, Notes.asked = [], []
    made = ThreadingHTTPServer(("127.0.0.1", 0), Notes)
    thread = threading.Thread(target=made.serve_forever)
    thread.start()
    yield made
    made.shutdown()
    thread.join()
    made.server_close()


def posted(server: ThreadingHTTPServer, where: Path, comment: str, token: str = "secret") -> Done:
    where.mkdir(exist_ok=True)
    (where / COMMENT).write_text(comment, encoding="utf-8")
    return script(
        POST,
        where,
        CI_API_V4_URL=f"http://127.0.0.1:{server.server_port}/api/v4",
        CI_PROJECT_ID="3",
        CI_MERGE_REQUEST_IID="7",
        FLAKELEDGER_TOKEN=token,
        no_proxy="127.0.0.1",
    )


NOTE_PATH = "/api/v4/projects/3/merge_requests/7/notes"


def test_the_comment_is_posted_once_and_replaced_then(server: ThreadingHTTPServer, tmp_path: Path) -> None:
    Notes.notes = [
        {"id": 1, "author": {"id": 9}, "body": f"{MARKER}\nof somebody else"},
        {"id": 2, "author": {"id": 5}, "body": f"not ours: {MARKER}"},
    ]
    first, second = (f"{MARKER}\n**{word}** & 100 % + `é`\n" for word in ("first", "second"))
    for comment in (first, second):
        done = posted(server, tmp_path / "job", comment)
        assert done.code == 0, done.output
    assert Notes.asked == [("POST", NOTE_PATH), ("PUT", f"{NOTE_PATH}/102")]
    assert [note["body"] for note in Notes.notes][2:] == [second]
    assert "secret" not in done.output


def test_a_token_that_is_refused_fails_the_job_that_may_fail(server: ThreadingHTTPServer, tmp_path: Path) -> None:
    done = posted(server, tmp_path / "job", f"{MARKER}\nx\n", "wrong")
    assert done.code != 0
    assert Notes.asked == []
    assert POST["allow_failure"] is True


def test_the_job_with_the_token_has_no_repository_and_runs_for_merge_requests_alone() -> None:
    assert POST["variables"]["GIT_STRATEGY"] == "none"
    (rule,) = POST["rules"]
    assert rule == {"if": '$CI_PIPELINE_SOURCE == "merge_request_event" && $FLAKELEDGER_TOKEN', "when": "always"}
    assert "flakeledger" not in " ".join(POST["script"]).replace(COMMENT, "").replace(MARKER, "")

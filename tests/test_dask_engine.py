"""The engine of many hosts, on a real cluster of this one: nothing is lost, nothing is doubled, nothing is left."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from cluster import Cluster, cluster
from commands import typed
from flakeledger import __version__
from flakeledger.evidence import dask_cluster
from flakeledger.evidence.bundle import FOLDER
from flakeledger.evidence.dask_engine import many_hosts
from flakeledger.evidence.engines import Abandoned, Event, Work
from flakeledger.evidence.runs import Job, Mode
from flakeledger.model.errors import CannotTell
from flakeledger.model.policy import Runner
from flakeledger.store.git import Git
from replayable import failing, lines, replayable, wait_until
from replaying import BOTH_MODES, RUNNER, committed, failing_seeds, job
from world import ORDERS, REFUND, TOTAL, Templates, World

UNLUCKY = (3, 7, 11)
#: notes its process in a file, and waits while the file `wait` stands beside it
FILES = {
    "test_flaky.py": f"""\
        import os, random, time
        NOTES = os.environ["NOTES"]
        def test_flaky():
            lucky = random.random() not in {[random.Random(seed).random() for seed in UNLUCKY]}
            with open(f"{{NOTES}}/{{os.getpid()}}", "w"):
                pass
            while os.path.exists(f"{{NOTES}}/wait") or "HOLDS" in os.environ:
                time.sleep(0.02)
            assert lucky
        """,
    "test_other.py": "def test_other():\n    pass\n",
    "steady.txt": "no test of Python\n",
}
FLAKY, OTHER = "test_flaky.py::test_flaky", "test_other.py::test_other"
SEEDS = tuple(range(1, 21))


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with cluster(tmp_path_factory.mktemp("cluster"), 2) as made:
        yield made


@pytest.fixture
def notes(hosts: Cluster) -> Path:
    """An empty folder that every test notes its processes in."""
    for file in hosts.notes.iterdir():
        file.unlink()
    return hosts.notes


@pytest.fixture
def git(repository: Path) -> Git:
    return committed(repository, FILES)


def events(hosts: Cluster, git: Git, *jobs: Job, stop: Callable[[], bool] = bool) -> list[Event]:
    with closing(many_hosts(hosts.address)(Work(git, git.head() or "", jobs, 1), stop)) as found:
        return list(found)


def there(test: str, seeds: Sequence[int] = (1,), mode: Mode = "process", runner: Runner = RUNNER) -> Job:
    """A job for the interpreter of the workers."""
    return job(test, seeds, mode, runner, python="")


def by_seed(found: list[Event], seeds: Sequence[int] = SEEDS) -> list[int]:
    """The seeds of the first job that failed. Each is there once, and at the end that the job is over."""
    own = [event for event in found if event.number == 0]
    assert own[-1] == Event(0)
    runs = sorted((event.run for event in own if event.run is not None), key=lambda run: run.seed)
    assert [run.seed for run in runs] == list(seeds)
    return failing_seeds(runs)


def refusal(found: list[Event]) -> str:
    (event,) = found
    assert event.refusal is not None
    return event.refusal.reason


def processes(notes: Path) -> list[int]:
    """The processes of tests that were noted."""
    return [int(file.name) for file in notes.iterdir() if file.name.isdigit()]


def held(notes: Path) -> list[int]:
    """Those of them that the worker with HOLDS started."""
    return [number for number in processes(notes) if b"HOLDS=1" in _settings(number)]


def _settings(number: int) -> list[bytes]:
    try:
        return Path(f"/proc/{number}/environ").read_bytes().split(b"\0")
    except OSError:
        return []


def is_running(number: int) -> bool:
    return Path(f"/proc/{number}").exists()


def leftovers(hosts: Cluster) -> list[str]:
    """What the workers still have in their temporary folders, but for their clones and what is Dask's."""
    found = [file.name for folder in hosts.folder.glob("worker-*/tmp") for file in folder.iterdir()]
    return [name for name in found if not name.startswith((FOLDER, "dask-"))]


@pytest.mark.parametrize("mode", BOTH_MODES)
def test_every_seed_is_there_once(hosts: Cluster, git: Git, notes: Path, mode: Mode) -> None:
    found = events(hosts, git, there(FLAKY, SEEDS, mode), there("steady.txt::x"), there(OTHER, ()), there(OTHER))
    assert by_seed(found) == list(UNLUCKY)
    assert Event(2) in found
    assert [event.run and event.run.outcome for event in found if event.number == 3] == ["pass", None]
    assert "is no Python file" in refusal([event for event in found if event.number == 1])
    assert len(processes(notes)) == len(SEEDS)
    assert leftovers(hosts) == []


def test_a_worker_that_joins_later_and_is_killed_loses_and_doubles_nothing(
    hosts: Cluster, git: Git, notes: Path
) -> None:
    (notes / "wait").touch()
    with ExitStack() as running:
        killed: list[subprocess.Popen[bytes]] = []

        def stop() -> bool:
            if not killed and len(processes(notes)) == 2:
                killed.append(running.enter_context(hosts.worker("killed", HOLDS="1")))
                (notes / "wait").unlink()
            if killed and held(notes):
                killed[0].kill()
            return False

        found = events(hosts, git, there(FLAKY, SEEDS), stop=stop)
    assert by_seed(found) == list(UNLUCKY)
    assert len(processes(notes)) == len(SEEDS) + 1
    (number,) = held(notes)
    os.kill(number, signal.SIGKILL)
    assert leftovers(hosts) == []


def test_a_worker_that_is_told_to_end_ends_its_test(hosts: Cluster, git: Git, notes: Path) -> None:
    with hosts.worker("ended", HOLDS="1") as worker:
        told: list[int] = []

        def stop() -> bool:
            if not told and held(notes):
                told.extend(held(notes))
                worker.send_signal(signal.SIGTERM)
            return False

        found = events(hosts, git, there(FLAKY, SEEDS[:8]), stop=stop)
        wait_until(lambda: not any(map(is_running, told)))
    assert by_seed(found, SEEDS[:8]) == [3, 7]


def test_once_stopped_what_runs_may_end(hosts: Cluster, git: Git, notes: Path) -> None:
    (notes / "wait").touch()

    def stop() -> bool:
        if len(processes(notes)) == 2:
            (notes / "wait").unlink(missing_ok=True)
            return True
        return False

    found = events(hosts, git, there(FLAKY, SEEDS), stop=stop)
    assert [event.run and event.run.outcome for event in found] == ["pass", "pass", None]
    assert len(processes(notes)) == 2
    assert leftovers(hosts) == []


def test_stopped_before_the_start_nothing_begins(hosts: Cluster, git: Git, notes: Path) -> None:
    assert events(hosts, git, there(FLAKY), there(OTHER), stop=lambda: True) == [Event(0), Event(1)]
    assert processes(notes) == []


@pytest.mark.parametrize("mode", BOTH_MODES)
def test_what_stop_raises_ends_what_runs(hosts: Cluster, git: Git, notes: Path, mode: Mode) -> None:
    (notes / "wait").touch()

    def stop() -> bool:
        if processes(notes):
            raise Abandoned
        return False

    with pytest.raises(Abandoned):
        events(hosts, git, there(FLAKY, SEEDS, mode), stop=stop)
    wait_until(lambda: not any(map(is_running, processes(notes))))
    wait_until(lambda: leftovers(hosts) == [])
    assert len(processes(notes)) <= 2


ALONE = """
import os, sys
sys.path[:0] = {path!r}
from flakeledger.evidence.dask_engine import many_hosts
from flakeledger.evidence.engines import Work
from flakeledger.store.git import Git
from replaying import job
git = Git.open({root!r}, os.environ)
list(many_hosts({address!r})(Work(git, git.head(), (job({test!r}, (1, 2), python=""),), 1), bool))
"""


def test_whoever_is_killed_leaves_nothing_running_on_the_workers(hosts: Cluster, git: Git, notes: Path) -> None:
    (notes / "wait").touch()
    code = ALONE.format(path=[str(Path(__file__).parent)], root=git.root, address=hosts.address, test=FLAKY)
    with subprocess.Popen([sys.executable, "-c", code]) as process:
        wait_until(lambda: len(processes(notes)) == 2)
        process.kill()
    wait_until(lambda: not any(map(is_running, processes(notes))))
    wait_until(lambda: leftovers(hosts) == [])


def test_a_worker_whose_environment_is_not_the_runners_is_named(hosts: Cluster, git: Git) -> None:
    said = refusal(events(hosts, git, there(OTHER, SEEDS, runner=Runner("old", python="3.1"))))
    assert "says Python 3.1, and the tests run on" in said
    assert any(f"the worker {address} is none for this" in said for address in hosts.addresses())


def test_workers_that_differ_are_named(hosts: Cluster, git: Git, notes: Path) -> None:
    with hosts.worker("elsewhere", TZ="Asia/Tokyo"):
        addresses = hosts.addresses()
        (notes / "wait").touch()

        def stop() -> bool:
            if len(processes(notes)) == len(addresses):  # each has begun a seed
                (notes / "wait").unlink(missing_ok=True)
            return False

        said = refusal(
            [
                event
                for event in events(hosts, git, there(FLAKY, SEEDS, runner=Runner("any")), stop=stop)
                if not event.run
            ]
        )
    assert "differ in timezone, offsets: their seeds are not those of one replay" in said
    assert sum(address in said for address in addresses) == 2


def test_a_worker_of_another_version_is_named_before_anything_runs(hosts: Cluster, git: Git, tmp_path: Path) -> None:
    other = tmp_path / "flakeledger-0.0.9.dist-info"
    other.mkdir()
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: flakeledger\nVersion: 0.0.9\n")
    known = hosts.addresses()
    with hosts.worker("other", PYTHONPATH=str(tmp_path)):
        (address,) = hosts.addresses() - known
        with pytest.raises(CannotTell) as refused:
            events(hosts, git, there(OTHER))
    reason = f"it has flakeledger 0.0.9, and the units come from {__version__}"
    assert refused.value.reason == f"the worker {address} is none for this: {reason}"
    assert refused.value.fix == f"there: pip install 'flakeledger[dask]=={__version__}'"


def test_a_test_that_costs_every_worker_its_life_is_refused(git: Git, tmp_path: Path) -> None:
    with (
        cluster(tmp_path, 0, DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="0") as alone,
        alone.worker("worker-0") as worker,
    ):
        (address,) = alone.addresses()
        (alone.notes / "wait").touch()

        def stop() -> bool:
            if processes(alone.notes):
                worker.kill()
            return False

        said = refusal(events(alone, git, there(FLAKY), stop=stop))
    assert said == f"every worker that ran seed 1 died meanwhile, the last one was {address}"
    for number in processes(alone.notes):
        os.kill(number, signal.SIGKILL)


def test_a_scheduler_that_goes_or_has_no_worker_is_said(git: Git, tmp_path: Path) -> None:
    with cluster(tmp_path, 0) as alone:
        with pytest.raises(CannotTell, match="has no workers"):
            events(alone, git, there(OTHER))
        (alone.notes / "wait").touch()
        with alone.worker("worker-0"):

            def stop() -> bool:
                if processes(alone.notes):
                    alone.kill()
                return False

            with pytest.raises(CannotTell, match=f"the scheduler at `{alone.address}` is gone"):
                events(alone, git, there(FLAKY), stop=stop)
            wait_until(lambda: not any(map(is_running, processes(alone.notes))))


@pytest.fixture
def world(templates: Templates, tmp_path: Path) -> World:
    return templates.start(tmp_path / "world", replayable, "keyed", "block")


def test_the_command_records_what_the_cluster_saw(hosts: Cluster, world: World) -> None:
    answer = typed(world, "replay", REFUND, TOTAL, "--scheduler", hosts.address, "--fast")
    assert answer.code == 0, answer.err
    by_test = {line["test"]: line for line in lines(world)}
    assert failing(by_test[REFUND]) == list(UNLUCKY)
    assert (by_test[TOTAL]["passed"], by_test[TOTAL]["touched"]) == (20, [ORDERS])
    world.git("add", "-A")
    assert world.run("check-ledgers") == set()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "cannot tell: no scheduler answers at `tcp://127.0.0.1:1`"),
        (("--jobs", "2"), "how much runs at once is up to the workers of --scheduler"),
        (("--python", "python3"), "give its whole path: --python /PATH"),
    ],
)
def test_unclear_requests_are_exit_2(
    world: World, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], said: str
) -> None:
    monkeypatch.setattr(dask_cluster, "ANSWER", 0.5)
    answer = typed(world, "replay", REFUND, "--scheduler", "tcp://127.0.0.1:1", *arguments)
    assert answer.code == 2
    assert said in answer.err
    assert lines(world) == []


@pytest.mark.parametrize("scheme", ["tcp://", "", "carrier-pigeon://"])
def test_a_scheduler_that_is_not_there_is_said(git: Git, monkeypatch: pytest.MonkeyPatch, scheme: str) -> None:
    monkeypatch.setattr(dask_cluster, "ANSWER", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(CannotTell, match="no scheduler answers at") as refused:
        list(many_hosts(f"{scheme}127.0.0.1:{port}")(Work(git, git.head() or "", (job(OTHER),), 1), bool))
    assert "dask scheduler" in refused.value.fix


def test_what_listens_and_is_no_scheduler_is_said(git: Git) -> None:
    """As a process of its own: a client that waits for ever stays behind in it."""
    code = ALONE.format(path=[str(Path(__file__).parent)], root=git.root, address="{address}", test=OTHER)
    with socket.create_server(("127.0.0.1", 0)) as server:
        code = code.replace("{address}", f"tcp://127.0.0.1:{server.getsockname()[1]}")
        code = code.replace(
            "\nlist(", "\nfrom flakeledger.evidence import dask_cluster\ndask_cluster.ANSWER = 0.5\nlist("
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.stderr.splitlines()[-1].endswith("what listens there does not speak as one")


def test_without_dask_it_is_said_what_to_install(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(CannotTell, match="--scheduler needs Dask, and distributed is not installed") as refused:
        list(many_hosts("tcp://127.0.0.1:1")(Work(git, git.head() or "", (job(OTHER),), 1), bool))
    assert refused.value.fix.startswith("pip install 'flakeledger[dask]'")

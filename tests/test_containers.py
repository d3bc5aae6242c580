"""The image and the compose files, as far as they can be checked without an engine: what they say is parsed
and held against rules, what they copy is there, and what the image installs starts from a tree that nobody
writes to. That an engine takes them is not tried here."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.settings import Settings
from tests.wire.wire_server import running_server

ROOT = Path(__file__).parents[1]
FILES = ("compose.yaml", "compose.postgres.yaml")

# Of the Compose specification: what a service may have, as far as it is used here.
SERVICE = {
    "build", "cap_add", "cap_drop", "depends_on", "env_file", "environment", "healthcheck", "image", "init",
    "logging", "networks", "pids_limit", "read_only", "restart", "security_opt", "shm_size",
    "stop_grace_period", "tmpfs", "volumes",
}  # fmt: skip
TOP = {"name", "services", "volumes", "networks"}


# ------------------------------------------------------------------------------------- the image


def instructions() -> list[tuple[str, str]]:
    """Of the Dockerfile, each on one line."""
    text = (ROOT / "Dockerfile").read_text("utf-8")
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    return [(word, rest.strip()) for word, _, rest in (line.partition(" ") for line in joined.splitlines())]


def of(word: str) -> list[str]:
    return [rest for one, rest in instructions() if one == word]


def stages() -> list[list[tuple[str, str]]]:
    found: list[list[tuple[str, str]]] = []
    for word, rest in instructions():
        if word == "FROM":
            found.append([])
        if found:
            found[-1].append((word, rest))
    return found


def test_the_base_is_pinned_to_a_version_and_a_system_and_no_digest_is_made_up() -> None:
    [base] = of("ARG")
    assert re.fullmatch(r"BASE=python:3\.\d+-slim-[a-z]+", base)
    assert [one.split(" AS ")[0] for one in of("FROM")] == ["${BASE}"] * 2
    assert "sha256:" not in " ".join(rest for _, rest in instructions())


def test_the_image_does_not_run_as_root_and_holds_no_secret() -> None:
    last = stages()[-1]
    user = max(at for at, (word, _) in enumerate(last) if word == "USER")
    assert re.fullmatch(r"[1-9]\d*", last[user][1])
    assert not [word for word, _ in last[user:] if word in {"RUN", "COPY"}]
    given = " ".join([*of("ENV"), *of("ARG")])
    assert not re.search(r"TOKEN|PASSWORD|SECRET|DATABASE_URL", given)


def test_its_steps_are_of_the_plain_kind() -> None:
    words = {word for word, _ in instructions()}
    assert words <= {
        "ARG", "CMD", "COPY", "ENV", "FROM", "HEALTHCHECK", "RUN", "STOPSIGNAL", "USER", "VOLUME", "WORKDIR",
    }  # fmt: skip
    for run in of("RUN"):
        assert not re.search(r"\b(sudo|apt|apt-get|curl|wget|chmod 777)\b", run)
    for folder in of("WORKDIR"):
        assert folder.startswith("/")
    [command] = of("CMD")
    assert json.loads(command) == ["python", "-m", "bot", "run"]
    [check] = of("HEALTHCHECK")
    assert json.loads(check.partition("CMD ")[2]) == ["python", "-m", "bot.health"]
    assert of("STOPSIGNAL") == ["SIGTERM"]


def test_everything_is_installed_from_the_lock_by_its_hashes() -> None:
    installs = [run for run in of("RUN") if "pip install" in run]
    assert all("--no-cache-dir" in run for run in installs)
    assert "--require-hashes -r requirements.lock" in installs[0]
    assert all("--no-deps --no-build-isolation" in run for run in installs[1:])
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    blocks = re.split(r"\n(?=\S)", lock.strip())
    for block in blocks:
        if not block.startswith("#"):
            assert re.match(r"[\w.-]+==\S+ \\\n +--hash=sha256:[0-9a-f]{64}", block), block[:80]
    names = {block.split("==")[0] for block in blocks}
    assert {"asyncpg", "manimgx-fonts-cjk", "prometheus-client", "setuptools"} <= names


def copied() -> Iterator[str]:
    for copy in of("COPY"):
        if not copy.startswith("--from="):
            yield from copy.split()[:-1]


def test_what_is_copied_is_there_and_reaches_the_build() -> None:
    ignored = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    assert ignored[0] == "*"
    let_through = {line.removeprefix("!") for line in ignored if line.startswith("!")}
    for source in copied():
        assert (ROOT / source).exists(), source
        assert source in let_through
    assert let_through == set(copied())


@pytest.fixture
def installed(tmp_path: Path) -> Iterator[Path]:
    """What the Dockerfile's steps after the lock install (`.ci/run` installs that), not to be written to."""
    source, site = tmp_path / "source", tmp_path / "site"
    source.mkdir()
    for name in copied():
        where = ROOT / name
        copy: Any = shutil.copytree if where.is_dir() else shutil.copy
        copy(where, source / name)
    install = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(site), "."]
    subprocess.run(install, cwd=source, check=True, capture_output=True)
    shutil.rmtree(source)
    for path in (site, *site.rglob("*")):
        path.chmod(path.stat().st_mode & ~0o222)
    where_from = subprocess.run(
        [sys.executable, "-c", "import bot; print(bot.__file__)"],
        cwd=tmp_path, env={"PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"},
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert where_from.stdout.strip() == str(site / "bot" / "__init__.py")
    yield site
    for path in (site, *site.rglob("*")):  # so that it can be cleared away
        path.chmod(path.stat().st_mode | 0o200)


@pytest.mark.long
async def test_what_the_image_installs_starts_from_a_tree_that_nobody_writes_to(
    installed: Path, tmp_path: Path
) -> None:
    def tree() -> list[tuple[Path, int]]:
        return sorted((path, path.stat().st_mtime_ns) for path in installed.rglob("*"))

    before = tree()
    env = {"PYTHONPATH": str(installed), "PYTHONDONTWRITEBYTECODE": "1"}
    async with running_server(tmp_path / "data", people=2, env=env) as place:
        ann, bob = place.people
        table = await place.open("5vor12", ann, bob)
        await table.shown()
    assert tree() == before


# ------------------------------------------------------------------------------------- compose


def composed(file: str) -> dict[str, Any]:
    made: dict[str, Any] = yaml.safe_load((ROOT / file).read_text("utf-8"))
    return made


def bots(file: str) -> dict[str, dict[str, Any]]:
    return {name: one for name, one in composed(file)["services"].items() if name.startswith("bot")}


@pytest.mark.parametrize("file", FILES)
def test_a_compose_file_has_only_what_compose_knows_and_what_it_names(file: str) -> None:
    made = composed(file)
    assert {key for key in made if not key.startswith("x-")} <= TOP
    for service in made["services"].values():
        assert service.keys() <= SERVICE
        assert ":latest" not in service["image"]
        for volume in service["volumes"]:
            assert volume.split(":")[0] in made["volumes"]
        assert set(service.get("networks", [])) <= made.get("networks", {}).keys()
        assert set(service.get("depends_on", {})) <= made["services"].keys()
        assert {"test", "interval", "timeout", "retries", "start_period"} == service["healthcheck"].keys()
        assert service["healthcheck"]["test"][0] == "CMD"


@pytest.mark.parametrize("file", FILES)
def test_the_bot_may_write_nothing_but_its_volume_and_gets_the_time_to_stop(file: str) -> None:
    for service in bots(file).values():
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert [one.split(":")[0] for one in service["tmpfs"]] == ["/tmp"]
        assert [one.split(":")[1] for one in service["volumes"]] == ["/data"]
        assert service["environment"]["DATA_DIR"] == "/data"
        assert service["stop_grace_period"] == "10s"
        assert service["healthcheck"]["test"] == ["CMD", "python", "-m", "bot.health"]
        assert "privileged" not in service
        assert "ports" not in service


@pytest.mark.parametrize("file", FILES)
def test_every_setting_that_is_given_is_one_and_is_right(file: str) -> None:
    for service in bots(file).values():
        assert {name.lower() for name in service["environment"]} <= Settings.model_fields.keys()
        settings_of(service["environment"])


def settings_of(environment: dict[str, str]) -> Settings:
    """Raises ValidationError."""
    given: dict[str, Any] = {name.lower(): interpolated(value) for name, value in environment.items()}
    return Settings(_env_file=None, **given)  # type: ignore[call-arg]


def interpolated(value: str) -> str:
    """As Compose does it, where the variable is not set, or must be."""
    return re.sub(r"\$\{\w+:([-?])([^}]*)\}", lambda found: found[2] if found[1] == "-" else "secret", value)


def test_the_two_processes_have_all_shards_between_them_and_one_makes_the_backups() -> None:
    settings = [service["environment"] for service in bots("compose.postgres.yaml").values()]
    assert {one["SHARD_COUNT"] for one in settings} == {str(len(settings))}
    assert sorted(one["SHARD_IDS"] for one in settings) == [str(number) for number in range(len(settings))]
    made = [settings_of(one) for one in settings]
    assert [one.makes_backups for one in made].count(True) == 1
    volumes = [service["volumes"] for service in bots("compose.postgres.yaml").values()]
    assert len({str(one) for one in volumes}) == len(volumes)


def test_the_database_is_reached_from_inside_alone_and_its_password_is_not_in_the_file() -> None:
    made = composed("compose.postgres.yaml")
    database = made["services"]["database"]
    assert re.fullmatch(r"postgres:\d+-[a-z]+", database["image"])
    assert database["networks"] == ["inside"]
    assert made["networks"]["inside"] == {"internal": True}
    assert "ports" not in database
    assert database["environment"]["POSTGRES_PASSWORD"].startswith("${POSTGRES_PASSWORD:?")
    assert database["read_only"] is True
    assert [one.split(":")[0] for one in database["tmpfs"]] == ["/tmp", "/run/postgresql"]
    assert database["cap_drop"] == ["ALL"]
    # Its entry point begins as root, makes the folders its account's and becomes that.
    assert database["cap_add"] == ["CHOWN", "DAC_OVERRIDE", "FOWNER", "SETGID", "SETUID"]
    assert database["security_opt"] == ["no-new-privileges:true"]
    for service in bots("compose.postgres.yaml").values():
        address = service["environment"]["DATABASE_URL"]
        assert re.fullmatch(
            r"postgresql://parlour:\$\{POSTGRES_PASSWORD:\?[^}]*\}@database:5432/parlour", address
        )
        assert service["depends_on"]["database"]["condition"] == "service_healthy"

"""The playground: a page at the printed address through which a table is opened and played.

The bot, simcord and our server are the real ones, in a process of their own where that matters. The
browser's part is played by plain HTTP, in simcord's page protocol.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from py_mini_racer import MiniRacer
from simcord.actors import MemberActor

from bot.client import Parlour
from bot.playground import SETTLE, PortTaken, main, open_world, serve
from bot.settings import Settings
from bot.simulated import SlowStart
from bot.storage import SqlStore
from bot.thinking import Thinkers

ROOT = Path(__file__).parents[1]


class Browser:
    """One person's tab: our front page, and simcord's page behind it."""

    def __init__(self, http: aiohttp.ClientSession, base: str) -> None:
        self.http, self.base = http, base
        self.headers: dict[str, str] = {}
        self.page: dict[str, Any] = {}
        self.sequence = 0

    async def state(self, person: str = "") -> dict[str, Any]:
        async with self.http.get(f"{self.base}/playground/state?person={person}") as answer:
            return dict(await answer.json())

    async def open(self, channel: str, person: str) -> None:
        async with self.http.get(
            f"{self.base}/open?channel={channel}&person={person}", allow_redirects=False
        ) as answer:
            assert answer.status == 303
            where, _, secret = answer.headers["Location"].partition("#")
        async with self.http.get(self.base + where) as answer:
            assert "/playground/bar.js" in await answer.text()
        self.headers = {"X-Simcord-Capability": secret}
        self.page = await self._ask("POST", "/api/pages", {"viewer_id": person})
        self.headers["X-Simcord-Context"] = self.page["context"]["id"]
        self.sequence = 0

    async def _ask(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        async with self.http.request(method, self.base + path, json=body, headers=self.headers) as answer:
            assert answer.status == 200, await answer.text()
            return dict(await answer.json())

    async def look(self) -> dict[str, Any]:
        self.page = await self._ask("GET", "/api/state")
        return self.page

    async def act(self, kind: str, **what: Any) -> dict[str, Any]:
        await self.look()
        self.sequence += 1
        return await self._ask(
            "POST",
            "/api/action",
            {
                "kind": kind,
                "sequence": self.sequence,
                "request_id": f"r{self.sequence}",
                "protocol_version": 3,
                "generation": self.page["context"]["generation"],
                "bot_generation": self.page["botGeneration"],
                "published_revision": self.page["publishedRevision"],
                **what,
            },
        )


@asynccontextmanager
async def playground(folder: Path) -> AsyncIterator[Browser]:
    stop = asyncio.Event()
    bound: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    settings = Settings(_env_file=None, data_dir=folder)  # type: ignore[call-arg]
    running = asyncio.create_task(serve(settings, 0, stop, bound.set_result))
    await asyncio.wait({running, bound}, return_when=asyncio.FIRST_COMPLETED)  # type: ignore[type-var]
    if running.done():
        running.result()
    try:
        async with aiohttp.ClientSession() as http:
            yield Browser(http, f"http://127.0.0.1:{bound.result()}")
    finally:
        stop.set()
        await running


async def test_the_front_page_offers_four_people_channels_and_direct_messages(tmp_path: Path) -> None:
    async with playground(tmp_path) as browser:
        async with browser.http.get(browser.base + "/") as answer:
            page = await answer.text()
        for name in ("Ada", "Ben", "Cleo", "Dev", "games", "lounge", "Direct messages"):
            assert name in page
        async with browser.http.get(browser.base + "/", headers={"Accept-Language": "de-AT,de"}) as answer:
            assert "Direktnachrichten" in await answer.text()
        state = await browser.state()
        assert [place["kind"] for place in state["places"]] == ["channel", "channel", "direct"]


async def test_a_person_sees_their_own_direct_messages_only(tmp_path: Path) -> None:
    async with playground(tmp_path) as browser:
        people = (await browser.state())["people"]
        mine = (await browser.state(people[0]["id"]))["places"][-1]["id"]
        theirs = (await browser.state(people[1]["id"]))["places"][-1]["id"]
        assert mine != theirs
        async with browser.http.get(
            f"{browser.base}/open?channel={theirs}&person={people[0]['id']}", allow_redirects=False
        ) as answer:
            assert answer.headers["Location"] == f"/?person={people[0]['id']}"


async def test_simcords_page_works_through_ours_and_ends_with_the_next_choice(tmp_path: Path) -> None:
    async with playground(tmp_path) as browser:
        state = await browser.state()
        ada, ben = (person["id"] for person in state["people"][:2])
        games, lounge = (place["id"] for place in state["places"][:2])
        await browser.open(games, ada)
        await browser.act("send_message", content="Shall we play?")
        assert (await browser.state())["places"][0]["count"] == "1 message"
        old = dict(browser.headers)
        await browser.open(lounge, ben)
        async with browser.http.get(browser.base + "/api/state", headers=old) as answer:
            assert answer.status == 401
        assert (await browser.look())["messageIndex"] == []


async def test_a_second_tab_at_the_same_channel_leaves_the_first_alive(tmp_path: Path) -> None:
    async with playground(tmp_path) as browser:
        state = await browser.state()
        ada, ben = (person["id"] for person in state["people"][:2])
        games = state["places"][0]["id"]
        second = Browser(browser.http, browser.base)
        await browser.open(games, ada)
        await second.open(games, ben)
        await browser.act("send_message", content="Shall we play?")
        assert "Shall we play?" in str((await second._ask("POST", "/api/pages", {}))["messages"])
        assert len((await browser.look())["messageIndex"]) == 1


# What the script asks of a browser: a list of messages in a box of 500, and frames one after another.
A_BROWSER = """
let now = 0, frames = [], watch = null, heard = {};
const timeline = { scrollTop: 0, scrollHeight: 900, addEventListener: (name, act) => { heard[name] = act; } };
let ids = ["5", "7"];
const list = {
  querySelectorAll: () => ids.map((id) => ({ dataset: { messageId: id } })),
  addEventListener: (name, act) => { heard[name] = act; },
};
const press = (id) => heard.click({ target: { closest: () => ({ dataset: { messageId: id } }) } });
const picker = { addEventListener: (name, act) => { heard["picker " + name] = act; } };
const parts = { "channel-timeline": timeline, "channel-message-list": list, "viewer-picker": picker };
const document = { getElementById: (id) => parts[id] };
const performance = { now: () => now };
const requestAnimationFrame = (act) => frames.push(act);
class MutationObserver { constructor(act) { watch = act; } observe() {} }
function pass(milliseconds) {
  for (const end = now + milliseconds; now < end; now += 100) for (const act of frames.splice(0)) act();
}
function come(id) { ids.push(id); timeline.scrollHeight += 400; watch(); }
"""


def test_the_newest_message_is_brought_into_view() -> None:
    browser = MiniRacer()
    browser.eval(A_BROWSER)
    browser.eval((ROOT / "bot" / "playground_page" / "newest.js").read_text("utf-8"))

    def at(*steps: str) -> object:
        for step in steps:
            browser.eval(step)
        return browser.eval("timeline.scrollTop")

    assert at() == 900, "where the page opens"
    assert at("timeline.scrollTop = 300", "pass(200)") == 900, "simcord puts itself back meanwhile"
    assert at("pass(3000)", "timeline.scrollTop = 300", "watch()", "pass(200)") == 300, (
        "an edit alone moves nothing"
    )
    assert at('come("9")') == 1300
    assert at("heard.wheel()", "timeline.scrollTop = 10", "pass(200)") == 10, "somebody reads above"
    assert at("ids = []; watch()", 'come("10")') == 1700, "all were deleted before"
    assert at("pass(3000)", "timeline.scrollTop = 0", 'press("9")', "pass(200)") == 0, "on an older one"
    assert at('press("10")', "timeline.scrollHeight = 1900", "pass(200)") == 1900, "it is longer now"
    assert at("pass(5000)", "timeline.scrollTop = 0", 'heard["picker change"]()') == 1900, (
        "another person looks"
    )


# What the bar asks of a browser. The server says which place is shown.
A_PAGE = """
let shown = "5", answers = true, start = "a", went = "", heard = {};
let places = [{ id: "5", kind: "channel", label: "games", mark: "" }];
const bare = () => ({ dataset: {}, setAttribute() {}, replaceChildren() {}, addEventListener() {} });
const nav = { ...bare(), children: [bare(), bare(), bare(), bare(), bare()] };
const said = { gone: "GONE", ended: "ENDED", silent: "SILENT", anew: "ANEW" };
const document = {
  querySelector: (what) => (what.startsWith("meta") ? { content: JSON.stringify(said) } : null),
  getElementById: () => null, createElement: () => nav, body: { prepend() {} }, addEventListener() {},
};
const window = { addEventListener: (name, act) => { heard[name] = act; } };
const location = { search: "?channel=5&person=1", assign: (where) => { went = where; } };
class URLSearchParams {
  get(name) { return name === "channel" ? "5" : "1"; }
  toString() { return "channel=5&person=1"; }
}
class Option {}
const sessionStorage = { getItem: () => null, setItem() {} };
const fetch = async () => {
  if (!answers) throw new TypeError("Failed to fetch");
  return { json: async () => ({ world: start, people: [], places, shown, changes: 1, person: "1" }) };
};
const setInterval = () => {};
"""


class Bar:
    """The bar's script, in a browser that opens its page."""

    def __init__(self) -> None:
        self.browser = MiniRacer()
        self.browser.eval(A_PAGE)
        self.browser.eval((ROOT / "bot" / "playground_page" / "bar.js").read_text("utf-8"))

    def at(self, *steps: str) -> tuple[str, bool, bool]:
        """Why it shows nothing, whether it offers to show it again, and whether it says what to type."""
        for step in steps:
            self.browser.eval(step)
        seen = self.browser.eval(
            "JSON.stringify([gone.hidden ? '' : gone.textContent, !reopen.hidden, !first.hidden])"
        )
        why, again, first = json.loads(str(seen))
        return why, again, first

    def went(self) -> str:
        return str(self.browser.eval("went"))


def test_a_tab_whose_place_is_not_shown_any_more_says_so_and_shows_it_when_somebody_comes() -> None:
    bar = Bar()
    assert bar.at() == ("", False, True)
    assert bar.at("heard.focus()") == ("", False, True)
    assert bar.at('shown = "7"', "look()") == ("GONE", True, False), "another tab has the preview"
    assert bar.at('shown = "0"', "look()") == ("ENDED", True, False), "nobody has: the bot was restarted, say"
    assert bar.went() == ""
    bar.at("heard.focus()")
    assert bar.went() == "/open?channel=5&person=1"


def test_a_tab_left_open_over_the_end_of_the_playground_says_that_it_ended_and_that_all_is_new() -> None:
    bar = Bar()
    assert bar.at("answers = false", "look()") == ("SILENT", False, False)
    assert bar.at("answers = true", "look()") == ("", False, True), "it was away for a moment only"
    assert bar.at('start = "b", shown = "0"', "heard.focus()") == ("ANEW", False, False)
    assert bar.at('shown = "5"', "heard.focus()") == ("ANEW", False, False), "another tab has opened it anew"
    assert bar.went() == "", "nobody is led to an empty channel without a word"


async def test_each_start_is_another_world_and_what_has_ended_is_shown_to_nobody(tmp_path: Path) -> None:
    worlds = []
    for folder in ("one", "two"):
        async with playground(tmp_path / folder) as browser:
            state = await browser.state()
            worlds.append(state["world"])
            assert state["shown"] == "0"
            games, ada = state["places"][0]["id"], state["people"][0]["id"]
            await browser.open(games, ada)
            assert (await browser.state())["shown"] == games
            await browser.act("close")
            async with asyncio.timeout(SETTLE):
                while (await browser.state())["shown"] == games:
                    pass
            async with browser.http.get(browser.base) as answer:
                assert f'data-world="{state["world"]}"' in await answer.text()
    assert len({*worlds}) == 2


async def test_what_we_restyle_of_simcords_page_is_still_called_so(tmp_path: Path) -> None:
    """Our sheet keeps the arrow of its composer within a phone's page, however long a description is."""
    async with playground(tmp_path) as browser:
        state = await browser.state()
        await browser.open(state["places"][0]["id"], state["person"])
        async with browser.http.get(f"{browser.base}/view", params={"person": state["person"]}) as answer:
            sheets = re.findall(r'<link rel="stylesheet" href="([^"]+)"', await answer.text())
        texts = []
        for sheet in sheets:
            async with browser.http.get(browser.base + sheet) as answer:
                texts.append(await answer.text())
    theirs, ours = texts
    restyled = re.findall(r"^\.(c[\w-]+) \{", ours, re.MULTILINE)
    assert restyled
    assert [name for name in restyled if f"\n.{name} {{" not in theirs] == []


async def new_table(browser: Browser, invocation: str, **options: str) -> None:
    """Ada opens one in the first channel."""
    state = await browser.state()
    await browser.open(state["places"][0]["id"], state["people"][0]["id"])
    catalogue = (await browser._ask("GET", "/api/commands"))["entries"]
    command = next(entry for entry in catalogue if entry["invocation"] == invocation)
    receipt = await browser.act(
        "run_command",
        command_id=command["commandId"],
        path=command["path"],
        schema_fingerprint=command["schemaFingerprint"],
        options=options,
    )
    assert not receipt["rejected"], receipt


async def test_a_table_is_opened_in_the_page(tmp_path: Path) -> None:
    async with playground(tmp_path) as browser:
        await new_table(browser, "5vor12 new")
        assert "5 vor 12" in str((await browser.look())["messages"])


def control(shown: Any, label: str) -> str:
    """The key of the button that says so, wherever it stands."""
    within = shown.values() if isinstance(shown, dict) else shown if isinstance(shown, list) else ()
    if isinstance(shown, dict) and shown.get("label") == label:
        return str(shown["control_key"])
    return next(filter(None, (control(part, label) for part in within)), "")


@pytest.mark.parametrize("restarts", [False, True])
async def test_a_stop_and_a_restart_wait_for_nobody_that_thinks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, restarts: bool
) -> None:
    """A click in simcord's page is under way until the computer players that follow it have played, and the
    page's end waits for that."""
    ends: list[str] = []
    thinking = asyncio.Event()
    click, close, choose = MemberActor.click, Parlour.close, Thinkers.choose

    async def at_first_for_ever(*given: Any) -> str:
        if not thinking.is_set():
            thinking.set()
            await asyncio.Event().wait()
        return await choose(*given)

    async def clicked(*args: Any, **options: Any) -> Any:
        try:
            return await click(*args, **options)
        finally:
            ends.append("the click")

    async def closed(bot: Parlour) -> None:
        ends.append("the bot")
        await close(bot)

    monkeypatch.setattr(Thinkers, "choose", at_first_for_ever)
    monkeypatch.setattr(MemberActor, "click", clicked)
    monkeypatch.setattr(Parlour, "close", closed)
    async with playground(tmp_path) as browser:
        await new_table(browser, "5vor12 new", players="2", computers="1")
        key = control((await browser.look())["messages"], "Start")
        start = asyncio.create_task(browser.act("click", control_key=key, target_id=key.split(":")[1]))
        await thinking.wait()
        if restarts:
            async with browser.http.post(browser.base + "/playground/restart") as answer:
                assert answer.status == 200
            assert (await browser.state())["places"]
    assert ends[:2] == ["the bot", "the click"]
    await asyncio.wait({start})
    assert (start.exception() is None) is restarts, "the click was answered unless the page ended"


async def test_other_hosts_names_and_other_pages_are_refused(tmp_path: Path) -> None:
    async with playground(tmp_path) as browser:
        for headers in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}):
            async with browser.http.get(browser.base + "/", headers=headers) as answer:
                assert answer.status == 403


async def test_time_runs_on_demand_and_the_bot_can_be_restarted(tmp_path: Path) -> None:
    async with playground(tmp_path) as browser:
        before = (await browser.state())["now"]
        async with browser.http.post(browser.base + "/playground/skip?hours=24") as answer:
            assert answer.status == 200
        assert (await browser.state())["now"] > before
        games = (await browser.state())["places"][0]["id"]
        await browser.open(games, (await browser.state())["people"][0]["id"])
        assert (await browser.state())["shown"] == games
        async with browser.http.post(browser.base + "/playground/restart") as answer:
            assert answer.status == 200
        assert (await browser.state())["places"]
        assert (await browser.state())["shown"] == "0", "its view ended with the bot"


async def test_restarts_at_the_same_time_come_one_after_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two taps, say. The second found the first's bot closed, though it still had the data, and its own could
    not have them."""
    settings = Settings(_env_file=None, data_dir=tmp_path)  # type: ignore[call-arg]
    close, closing, may = SqlStore.close, asyncio.Event(), asyncio.Event()
    made: list[Any] = []

    async def closed_late(store: SqlStore) -> None:
        closing.set()
        await may.wait()
        await close(store)

    monkeypatch.setattr(SqlStore, "close", closed_late)
    async with open_world(settings) as world:
        make = world.make_bot
        world.make_bot = lambda: made.append(make()) or made[-1]  # type: ignore[func-returns-value]
        both = [asyncio.create_task(world.restart_bot()) for _ in range(2)]
        await closing.wait()
        for _ in range(100):
            await asyncio.sleep(0)
        assert made == [], "nobody comes up before the data are free"
        may.set()
        await asyncio.gather(*both)
        assert len(made) == 2
        await world.tick(1.0)


async def test_what_is_due_later_holds_nobody_up(tmp_path: Path) -> None:
    """A notice that is held back for half a minute, say: it comes when the clock is moved on that far."""
    settings = Settings(_env_file=None, data_dir=tmp_path)  # type: ignore[call-arg]
    due: list[str] = []
    async with open_world(settings) as world:
        with world.env._bot_scope():
            asyncio.get_running_loop().call_later(SETTLE / 2, due.append, "later")
        await world.env.settle()
        assert due == []
        await world.tick(SETTLE)
        assert due == ["later"]


@pytest.fixture
def process(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    environment = {k: v for k, v in os.environ.items() if k not in {"DISCORD_TOKEN", "DATABASE_URL"}}
    environment |= {"DATA_DIR": str(tmp_path / "data"), "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, "-m", "bot"],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as started:
        yield started
        if started.poll() is None:
            started.kill()


def test_no_token_opens_the_playground_and_ctrl_c_leaves_the_data_folder_only(
    process: subprocess.Popen[str], tmp_path: Path
) -> None:
    assert process.stdout is not None
    line = process.stdout.readline()
    assert re.search(r"http://127\.0\.0\.1:\d+", line), "its address is the first that it says"
    process.send_signal(signal.SIGINT)
    told, _ = process.communicate()
    assert process.returncode == 0
    assert "Traceback" not in told
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


@pytest.mark.long
def test_a_second_playground_on_the_same_folder_is_refused(
    process: subprocess.Popen[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It deleted the first one's tables under it."""
    assert process.stdout is not None
    assert "http://" in process.stdout.readline()
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "data"))
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    second = subprocess.run(
        [sys.executable, "-m", "bot", "playground"], env=environment, capture_output=True, text=True
    )
    assert second.returncode == 2
    assert "already uses" in second.stderr
    assert (tmp_path / "data" / "playground" / "parlour.db").exists()


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    environment = os.environ | {"PYTHONPATH": str(ROOT), "DATA_DIR": str(tmp_path / "file" / "data")}
    done = subprocess.run(
        [sys.executable, "-m", "bot", "playground"], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "cannot use the folder" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("level", "first"), [("DEBUG", "DEBUG"), ("INFO", "WARNING"), ("WARNING", "WARNING"), ("ERROR", "ERROR")]
)
def test_no_more_than_warnings_are_logged_before_the_address(
    level: str, first: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def opened(*given: Any) -> None:
        assert levels == [first]
        given[-1](8123)

    levels: list[str] = []
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    monkeypatch.setenv("PARLOUR_LOG_LEVEL", level)
    monkeypatch.setattr("bot.playground.serve", opened)
    monkeypatch.setattr("bot.logs.set_up", levels.append)
    assert main(8123) == 0
    assert levels == [first, level]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (PortTaken("Address already in use"), "The playground cannot use port 8123: Address already in use."),
        (SlowStart(), "The playground did not come up in time"),
    ],
)
def test_why_it_did_not_start_is_told_as_it_is(
    error: Exception,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    async def refuse(*_: object) -> None:
        raise error

    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    monkeypatch.setattr("bot.playground.serve", refuse)
    assert main(8123) == 1
    assert said in capsys.readouterr().err

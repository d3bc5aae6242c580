"""The request checker: what Discord takes passes, and each thing that it refuses is found and named."""

from __future__ import annotations

from typing import Any

import pytest

from tests.discord.facts import BODIES, EVENTS, SHAPES, WORDS
from tests.discord.requests import check_answer, check_event, check_files, check_request, route_of, routes
from tests.discord.rest import ROUTES
from tests.discord.shapes import check_of

MESSAGES, CALLBACK = "/channels/123/messages", "/interactions/1/tok/callback"
COMMANDS = "/applications/1/commands"
ORIGINAL = "/webhooks/1/tok/messages/@original"
V2 = 1 << 15
MIB = 1 << 20
BUTTON = {"type": 2, "style": 1, "label": "Go", "custom_id": "a"}
TEXT = {"type": 10, "content": "x"}


def row(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"type": 1, "components": list(parts)}


def buttons(number: int, **more: Any) -> list[dict[str, Any]]:
    return [BUTTON | {"custom_id": str(index)} | more for index in range(number)]


def menu(number: int, **more: Any) -> dict[str, Any]:
    options = [{"label": str(index), "value": str(index)} for index in range(number)]
    return {"type": 3, "custom_id": "s", "options": options} | more


def posted(*parts: dict[str, Any], **more: Any) -> tuple[str, str, Any]:
    """A message with these components beside text."""
    return "POST", MESSAGES, {"content": "x", "components": list(parts)} | more


def shown(*parts: dict[str, Any], **more: Any) -> tuple[str, str, Any]:
    """A message that is nothing but these components."""
    return "POST", MESSAGES, {"flags": V2, "components": list(parts)} | more


def answered(kind: int, **data: Any) -> tuple[str, str, Any]:
    return "POST", CALLBACK, {"type": kind, "data": data}


def asked(*parts: dict[str, Any], title: str = "T") -> tuple[str, str, Any]:
    return answered(9, custom_id="m", title=title, components=list(parts))


def label(component: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": 18, "label": "L", "component": component} | more


def commands(*listed: dict[str, Any]) -> tuple[str, str, Any]:
    return "PUT", COMMANDS, list(listed)


INPUT = {"type": 4, "custom_id": "i", "style": 1}
COMMAND = {"name": "play", "description": "d"}
LONG_OPTION = {
    "type": 3,
    "description": "d" * 90,
    "choices": [{"name": "n" * 90, "value": "v" * 90}] * 5,
}

TAKEN = {
    "text": ("POST", MESSAGES, {"content": "hi"}),
    "an embed": (
        "POST",
        MESSAGES,
        {"embeds": [{"title": "t", "fields": [{"name": "n", "value": "v"}]}], "components": [row(BUTTON)]},
    ),
    "a container": shown({"type": 17, "components": [TEXT, row(BUTTON)]}),
    "every kind of block": shown(
        {
            "type": 17,
            "accent_color": 5,
            "components": [
                {"type": 9, "components": [TEXT], "accessory": BUTTON},
                {"type": 9, "components": [TEXT], "accessory": {"type": 11, "media": {"url": "u"}}},
                {"type": 12, "items": [{"media": {"url": "attachment://a.png"}, "description": "alt"}]},
                {"type": 13, "file": {"url": "attachment://a.txt"}},
                {"type": 14, "spacing": 2, "divider": False},
            ],
        },
        row({"type": 5, "custom_id": "u", "default_values": [{"type": "user", "id": "1"}]}),
        row({"type": 8, "custom_id": "c", "channel_types": [0, 11]}),
    ),
    "an edit that empties": ("PATCH", f"{MESSAGES}/5", {"content": None, "components": []}),
    "a private answer": answered(4, content="x", flags=64),
    "a form": asked(label(INPUT)),
    "a form of every kind": asked(
        label(menu(2), description="d"),
        label({"type": 19, "custom_id": "f"}),
        label({"type": 21, "custom_id": "r", "options": menu(2)["options"]}),
        label({"type": 22, "custom_id": "g", "options": menu(1)["options"]}),
        label({"type": 23, "custom_id": "b", "default": True}),
    ),
    "choices": answered(8, choices=[{"name": "a", "value": "a"}]),
    "numbers to choose from": answered(8, choices=[{"name": "a", "value": 5}]),
    "a deferral": ("POST", CALLBACK, {"type": 6}),
    "commands": commands(
        COMMAND
        | {
            "type": 1,
            "options": [{"type": 3, "name": "x", "description": "y", "autocomplete": True}],
            "contexts": [0, 1, 2],
            "integration_types": [0, 1],
            "default_member_permissions": "8",
        }
    ),
    "an edit of the answer": ("PATCH", ORIGINAL, {"content": "x"}),
    "a direct channel": ("POST", "/users/@me/channels", {"recipient_id": 7}),
    "a reply with a nonce": (
        "POST",
        MESSAGES,
        {"content": "x", "nonce": "4239823237611739231", "message_reference": {"message_id": 5}},
    ),
    "an update with tts": answered(7, content="x", tts=False, components=[]),
    "many deletions": ("POST", f"{MESSAGES}/bulk-delete", {"messages": ["1", "2"]}),
    "a thread": ("POST", f"{MESSAGES}/5/threads", {"name": "t"}),
    "an attachment kept": (
        "PATCH",
        f"{MESSAGES}/5",
        {"attachments": [{"id": "7", "filename": "a", "url": "u", "size": 1}]},
    ),
    "new parts in an edit": ("PATCH", f"{MESSAGES}/5", {"components": [TEXT]}),
    "a thread's archive": ("PATCH", "/channels/5", {"archived": True}),
    "a channel's topic": ("PATCH", "/channels/5", {"topic": "t"}),
    "a whole address": ("POST", f"https://discord.com/api/v10{MESSAGES}?wait=true", {"content": "hi"}),
    "nothing, where nothing is sent": ("DELETE", ORIGINAL, None),
}
REFUSED = {
    "content over 2000": (("POST", MESSAGES, {"content": "x" * 2001}), "2000"),
    "content over 4000": (("POST", MESSAGES, {"content": "x" * 4001}), "4000"),
    "an empty message": (("POST", MESSAGES, {}), "50006"),
    "an unknown field": (("POST", MESSAGES, {"contents": "typo", "content": "x"}), "contents: not a field"),
    "six buttons in a row": (posted(row(*buttons(6))), "6 entries"),
    "a custom id twice": (posted(row(BUTTON, BUTTON)), "'a' is used 2 times"),
    "a long custom id": (posted(row(BUTTON | {"custom_id": "c" * 101})), "custom_id: 101 characters"),
    "26 options": (posted(row(menu(26))), "options: 26 entries"),
    "a long embed": (("POST", MESSAGES, {"embeds": [{"description": "x" * 4097}]}), "4097"),
    "embeds too long together": (
        ("POST", MESSAGES, {"embeds": [{"description": "x" * 4000}, {"description": "x" * 2001}]}),
        "6001 characters over all embeds",
    ),
    "content beside new components": (shown(TEXT, content="x"), "content may not go with"),
    "new components without the flag": (("POST", MESSAGES, {"components": [TEXT]}), "need the flag"),
    "a number for text": (answered(4, content=5), "data/content: 5 is no text"),
    "an unknown answer": (("POST", CALLBACK, {"type": 99}), "type: 99"),
    "a long title of a form": (asked(row(INPUT), title="T" * 46), "data/title: 46 characters"),
    "buttons in a form": (asked(row(BUTTON)), "data/components/0/components/0"),
    "26 choices": (
        answered(8, choices=[{"name": str(index), "value": str(index)} for index in range(26)]),
        "26 entries",
    ),
    "a long command name": (commands(COMMAND | {"name": "x" * 33}), "0/name: 33 characters"),
    "a command twice": (commands(COMMAND, COMMAND), "listed 2 times"),
    "a command too long in all": (
        commands(COMMAND | {"options": [LONG_OPTION | {"name": f"o{index}"} for index in range(10)]}),
        "characters in all",
    ),
    "101 commands": (commands(*(COMMAND | {"name": f"c{index}"} for index in range(101))), "at most 100"),
    "a long answer in a poll": (
        (
            "POST",
            MESSAGES,
            {"poll": {"question": {"text": "q"}, "answers": [{"poll_media": {"text": "a" * 56}}]}},
        ),
        "55 characters",
    ),
    "a button and a menu in a row": (posted(row(BUTTON, menu(1))), "up to 5 buttons or one select"),
    "six rows": (posted(*(row(each) for each in buttons(6))), "over 5 action rows"),
    "41 components": (shown(*[TEXT] * 40, {"type": 14}), "41 entries"),
    "41 components, nested": (shown({"type": 17, "components": [TEXT] * 40}), "41 components"),
    "long texts together": (shown(TEXT | {"content": "x" * 3000}, TEXT | {"content": "y" * 1001}), "4001"),
    "a button without a target": (posted(row({"type": 2, "style": 1, "label": "x"})), "takes one of"),
    "a link with a custom id": (posted(row(BUTTON | {"style": 5, "url": "u"})), "takes one of"),
    "a button without words": (posted(row({"type": 2, "style": 1, "custom_id": "x"})), "label or an emoji"),
    "an option twice": (posted(row(menu(1, options=menu(1)["options"] * 2))), "listed 2 times"),
    "too many defaults": (
        posted(row(menu(0, options=[option | {"default": True} for option in menu(2)["options"]]))),
        "more default options",
    ),
    "a menu that wants more than it takes": (posted(row(menu(3, min_values=2))), "min_values is over"),
    "six parts in a form": (
        asked(*(label(INPUT | {"custom_id": str(index)}) for index in range(6))),
        "at most 5",
    ),
    "two parts of a form with one id": (asked(label(INPUT), label(INPUT)), "used 2 times"),
    "text where an id belongs": (("POST", "/users/@me/channels", {"recipient_id": "ann"}), "is no id"),
    "a thread without a name": (("POST", f"{MESSAGES}/5/threads", {}), "name: is missing"),
    "an odd archive time": (
        ("POST", f"{MESSAGES}/5/threads", {"name": "t", "auto_archive_duration": 61}),
        "61 is none of",
    ),
    "somebody mentioned twice": (
        ("POST", MESSAGES, {"content": "x", "allowed_mentions": {"users": ["1", "1"]}}),
        "stands twice",
    ),
    "an unknown kind of mention": (
        ("POST", MESSAGES, {"content": "x", "allowed_mentions": {"parse": ["all"]}}),
        "allowed_mentions/parse/0",
    ),
    "a long nonce": (("POST", MESSAGES, {"content": "x", "nonce": "n" * 26}), "nonce: 26 characters"),
    "a nonce in an edit": (("PATCH", f"{MESSAGES}/5", {"content": "x", "nonce": "n"}), "nonce: not a field"),
    "a long alt text": (
        ("POST", MESSAGES, {"attachments": [{"id": 0, "description": "d" * 1025}]}),
        "1025 characters",
    ),
    "true for a number": (shown(TEXT, flags=True), "flags: True is no whole number"),
    "no time": (("POST", MESSAGES, {"embeds": [{"title": "t", "timestamp": "noon"}]}), "no time"),
    "a body where none belongs": (("DELETE", ORIGINAL, {}), "takes no body"),
    "no body where one belongs": (("POST", MESSAGES, None), "needs a body"),
    "an unknown route": (("POST", "/channels/123/message", {"content": "x"}), "no such route"),
    "a known path, another method": (("PUT", MESSAGES, {"content": "x"}), "no such route"),
}


@pytest.mark.parametrize("case", TAKEN)
def test_what_discord_takes_passes(case: str) -> None:
    assert check_request(*TAKEN[case]) == []


@pytest.mark.parametrize("case", REFUSED)
def test_what_discord_refuses_is_found_and_named(case: str) -> None:
    request, said = REFUSED[case]
    found = check_request(*request)
    assert any(said in fault for fault in found), found


def test_every_fault_of_a_body_is_listed() -> None:
    found = check_request(*posted(row(BUTTON | {"label": 5, "style": 9}), nonce=[], tts="no"))
    assert [fault.partition(":")[0] for fault in found] == [
        "components/0/components/0/style",
        "components/0/components/0/label",
        "nonce",
        "tts",
    ]


@pytest.mark.parametrize(
    ("sizes", "limit", "fits"),
    [
        ([10 * MIB], 10 * MIB, True),
        ([10 * MIB + 1], 10 * MIB, False),
        ([20 * MIB], 25 * MIB, True),
        ([9 * MIB] * 3, 10 * MIB, False),  # 25 MiB in one request
        ([1] * 10, 10 * MIB, True),
        ([1] * 11, 10 * MIB, False),
    ],
)
def test_files_have_their_limits(sizes: list[int], limit: int, fits: bool) -> None:
    assert (check_files(sizes, limit) == []) is fits


def test_the_facts_are_in_known_words() -> None:
    """Every field of every shape becomes a check, and every shape is used."""
    for table in SHAPES.values():
        for words in table.values():
            check_of(words)
    used = " ".join([*(words for table in SHAPES.values() for words in table.values()), *BODIES.values()])
    used += " ".join([*EVENTS.values(), *(f"{r.sent} {r.answered}" for rs in routes().values() for r in rs)])
    assert [name for name in [*SHAPES, *BODIES, *WORDS] if name not in used] == []


def test_the_double_and_the_facts_know_the_sameroutes() -> None:
    double = {(method, path.replace("{kind}", "public")) for method, path, _ in ROUTES}
    assert [path for path in double if route_of(*path) is None] == []
    assert sum(map(len, routes().values())) == len(double) + 1  # archived threads are of two kinds
    original = route_of("GET", ORIGINAL)
    assert original is not None
    assert original.answered == "sent message"


def test_what_discord_sends_is_held_against_cheap_facts() -> None:
    user = {"id": "1", "username": "ann", "discriminator": "0", "global_name": None, "new": "is no fault"}
    assert check_answer("GET", "/users/1", 200, user) == []
    assert check_answer("GET", "/users/1", 200, user | {"id": "ann"}) == ["id: 'ann' is no id"]
    assert check_answer("DELETE", ORIGINAL, 204, None) == []
    assert check_answer("DELETE", ORIGINAL, 200, user) != []
    assert check_answer("POST", CALLBACK, 204, None) == []
    assert check_event("CHANNEL_UPDATE", {"id": "1", "type": 0}) == []
    assert check_event("CHANNEL_UPDATE", {"id": "1"}) == ["type: is missing"]

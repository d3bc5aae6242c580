"""The second page of a person's settings: when notices come, their quiet hours and their time zone.

Discord tells nobody's time zone, so it is asked for: first the part of the world, then a place in it, each
with the time it is there now, so that nobody needs to know what their zone is called.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from zoneinfo import ZoneInfo

from bot.locale import city
from bot.rules.game import Say
from bot.tables.model import RHYTHMS, UserSettings
from bot.tables.rhythm import zone
from cogs import custom_ids

from .components import Button, Buttons, Entry, Page, Select, Text, page

NO_HOURS = "none"  # in place of the first quiet hour
WAKING = 8  # when quiet hours end at first

# By part of the world, one place for each time that is kept there; 25 at most.
ZONES: Mapping[str, tuple[str, ...]] = {
    "europe": (
        "Atlantic/Azores", "Atlantic/Reykjavik", "Europe/London", "Europe/Lisbon", "Africa/Casablanca",
        "Africa/Lagos", "Europe/Berlin", "Europe/Paris", "Europe/Madrid", "Europe/Rome", "Europe/Amsterdam",
        "Europe/Vienna", "Europe/Zurich", "Europe/Stockholm", "Europe/Warsaw", "Europe/Athens",
        "Europe/Helsinki", "Europe/Kyiv", "Europe/Bucharest", "Africa/Cairo", "Africa/Johannesburg",
        "Africa/Nairobi", "Europe/Istanbul", "Europe/Moscow", "Europe/Samara",
    ),
    "america": (
        "Pacific/Honolulu", "America/Anchorage", "America/Los_Angeles", "America/Vancouver",
        "America/Tijuana", "America/Phoenix", "America/Denver", "America/Edmonton", "America/Chicago",
        "America/Winnipeg", "America/Mexico_City", "America/Guatemala", "America/Bogota", "America/Lima",
        "America/New_York", "America/Toronto", "America/Havana", "America/Caracas", "America/Halifax",
        "America/Santiago", "America/La_Paz", "America/St_Johns", "America/Sao_Paulo",
        "America/Argentina/Buenos_Aires", "America/Nuuk",
    ),
    "asia": (
        "Asia/Jerusalem", "Asia/Beirut", "Asia/Riyadh", "Asia/Baghdad", "Asia/Tehran", "Asia/Dubai",
        "Asia/Baku", "Asia/Tbilisi", "Asia/Kabul", "Asia/Karachi", "Asia/Tashkent", "Asia/Yekaterinburg",
        "Asia/Kolkata", "Asia/Colombo", "Asia/Kathmandu", "Asia/Dhaka", "Asia/Almaty", "Asia/Yangon",
        "Asia/Bangkok", "Asia/Ho_Chi_Minh", "Asia/Jakarta", "Asia/Shanghai", "Asia/Singapore", "Asia/Tokyo",
        "Asia/Seoul",
    ),
    "pacific": (
        "Australia/Perth", "Australia/Eucla", "Australia/Darwin", "Australia/Adelaide", "Australia/Brisbane",
        "Australia/Sydney", "Australia/Melbourne", "Australia/Hobart", "Australia/Lord_Howe",
        "Asia/Vladivostok", "Pacific/Guam", "Pacific/Port_Moresby", "Pacific/Guadalcanal", "Pacific/Noumea",
        "Asia/Kamchatka", "Pacific/Fiji", "Pacific/Auckland", "Pacific/Chatham", "Pacific/Tongatapu",
        "Pacific/Apia", "Pacific/Kiritimati", "Pacific/Tahiti", "Pacific/Marquesas", "Pacific/Pago_Pago",
        "UTC",
    ),
}  # fmt: skip

# Where most people live whose Discord is in that language, offered first.
LIKELY: Mapping[str, str] = {
    "de": "Europe/Berlin", "en-GB": "Europe/London", "fr": "Europe/Paris", "nl": "Europe/Amsterdam",
    "it": "Europe/Rome", "es-ES": "Europe/Madrid", "pl": "Europe/Warsaw", "sv-SE": "Europe/Stockholm",
    "da": "Europe/Berlin", "no": "Europe/Berlin", "fi": "Europe/Helsinki", "el": "Europe/Athens",
    "cs": "Europe/Berlin", "hu": "Europe/Berlin", "ro": "Europe/Bucharest", "bg": "Europe/Bucharest",
    "tr": "Europe/Istanbul", "uk": "Europe/Kyiv", "ja": "Asia/Tokyo", "ko": "Asia/Seoul",
    "zh-CN": "Asia/Shanghai", "zh-TW": "Asia/Shanghai", "hi": "Asia/Kolkata", "th": "Asia/Bangkok",
    "vi": "Asia/Ho_Chi_Minh",
}  # fmt: skip


def hour(number: int) -> str:
    return f"{number:02}:00"


def rhythm_page(settings: UserSettings, now: datetime, language: str, say: Say) -> Page:
    """now: in any time zone."""
    start, end = settings.quiet_from, settings.quiet_to
    quiet, daily = start != end, settings.rhythm == "digest"
    from_entries = [(NO_HOURS, say("rhythm.quiet.none"))]
    from_entries += [(str(one), say("rhythm.quiet.from", hour=hour(one))) for one in range(24)]
    to_entries = [(str(one), say("rhythm.quiet.to", hour=hour(one))) for one in range(24) if one != start]
    rhythms = [(one, say(f"rhythm.{one}")) for one in RHYTHMS]
    digests = [(str(one), say("rhythm.digest.at", hour=hour(one))) for one in range(24)]
    return page(
        Text(say("rhythm.title")),
        Text(say("rhythm.about")),
        _menu("rhythm", rhythms, settings.rhythm, say),
        _menu("digest_hour", digests, str(settings.digest_hour), say) if daily else None,
        Text(say("rhythm.quiet.about")),
        _menu("quiet_from", from_entries, str(start) if quiet else NO_HOURS, say),
        _menu("quiet_to", to_entries, str(end), say) if quiet else None,
        Text(_zone_line(settings, now, language, say)),
        Buttons((*_likely(settings, now, language), *_regions(say))),
        Buttons((Button(say("rhythm.back"), custom_ids.button(None, 0, "settings")),)),
    )


def zones_page(region: str, settings: UserSettings, now: datetime, language: str, say: Say) -> Page:
    """The places of one part of the world, by their clocks. Raises KeyError for one that there is not."""
    places = sorted(ZONES[region], key=lambda one: _offset(one, now))
    entries = [(one, _place(one, now, language)) for one in places]
    return page(
        Text(_zone_line(settings, now, language, say)),
        _menu("timezone", entries, settings.timezone, say),
        Buttons((*_regions(say), Button(say("rhythm.back"), custom_ids.button(None, 0, "rhythm")))),
    )


def setting_menu(field: str, asked: str, entries: list[tuple[str, str]], chosen: str) -> Select:
    """One setting of a person's. asked: stands in the menu while nothing is chosen. entries: value, label."""
    return Select(
        custom_ids.select(None, 0, "set_user", field),
        asked,
        tuple(Entry(label, value, chosen=value == chosen) for value, label in entries),
    )


def _menu(field: str, entries: list[tuple[str, str]], chosen: str, say: Say) -> Select:
    return setting_menu(field, say(f"rhythm.choose.{field}"), entries, chosen)


def _zone_line(settings: UserSettings, now: datetime, language: str, say: Say) -> str:
    key = "rhythm.zone" if settings.timezone else "rhythm.zone.unknown"
    local = now.astimezone(zone(settings))
    return say(key, place=city(language, local.tzinfo), time=f"{local:%H:%M}")


def _regions(say: Say) -> list[Button]:
    return [Button(say(f"rhythm.zone.{one}"), custom_ids.button(None, 0, "zones", one)) for one in ZONES]


def _likely(settings: UserSettings, now: datetime, language: str) -> list[Button]:
    likely = LIKELY.get(settings.locale or "")
    if likely is None or settings.timezone:
        return []
    return [Button(_place(likely, now, language), custom_ids.button(None, 0, "zone", likely), "primary")]


def _offset(name: str, now: datetime) -> tuple[float, str]:
    offset = now.astimezone(ZoneInfo(name)).utcoffset()
    return (offset.total_seconds() if offset is not None else 0.0, name)


def _place(name: str, now: datetime, language: str) -> str:
    there = ZoneInfo(name)
    return f"{now.astimezone(there):%H:%M} {city(language, there)}"

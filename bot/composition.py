"""The one place where the parts of Discord's side are put together."""

from __future__ import annotations

import discord

from bot.background import Background
from bot.discord_io import DiscordIO, Trace
from bot.players.moments import Run
from bot.settings import Settings
from bot.tables.adviser import Advise, Adviser
from bot.tables.moments import Moments
from bot.tables.ports import Clock
from bot.tables.service import Tables
from bot.tables.shown import Shown
from cogs.delivery.direct_messages import DirectMessages
from cogs.delivery.hands import Hands
from cogs.delivery.invitations import Invitations
from cogs.delivery.languages import Languages
from cogs.delivery.letters import Letters
from cogs.delivery.notices import Notices
from cogs.delivery.painter import Painter
from cogs.delivery.panels import Panels
from cogs.delivery.pictures import Draw, Pictures
from cogs.delivery.places import Places
from cogs.delivery.posts import Posts
from cogs.delivery.private_answers import PrivateAnswers
from cogs.delivery.private_pages import PrivatePages
from cogs.delivery.repaints import Repaints
from cogs.delivery.strays import Strays
from cogs.delivery.timing import Timing
from cogs.services import Services


def compose(
    client: discord.Client,
    trace: Trace,
    tables: Tables,
    shown: Shown,
    settings: Settings,
    clock: Clock,
    background: Background,
    *,
    advise: Advise,
    draw: Draw,
    think: Run,
    pace: float,
) -> Services:
    """trace: the client's. advise: finds hints, off the event loop. draw: draws pictures there. think: where
    what takes long is thought about. pace: seconds at least between two repaints of one message."""
    io = DiscordIO(client, clock, trace)
    languages = Languages(tables, io, settings.parlour_language)
    direct = DirectMessages(tables, io, clock, background)
    pictures = Pictures(draw)
    private = PrivatePages(pictures, tables)
    panels = Panels(tables, io, clock, background, languages, private)
    repaints = Repaints(tables, shown, io, clock, background, pace=pace)
    private_answers = PrivateAnswers(tables, shown, background, repaints)
    posts = Posts(tables, shown, io, clock, languages, direct, repaints, private_answers)
    hands = Hands(tables, shown, io, languages, direct, posts, private_answers, private)
    invitations = Invitations(tables, shown, io, languages, direct, posts)
    timing = Timing(tables, shown, clock, panels)
    letters = Letters(tables, shown, io, clock, background, languages, repaints, direct, posts, hands, timing)
    notices = Notices(tables, shown, io, clock, languages, direct, repaints, posts, timing, letters)
    painter = Painter(
        tables,
        shown,
        io,
        clock,
        background,
        languages,
        pictures,
        repaints,
        private_answers,
        posts,
        hands,
        panels,
        notices,
        invitations,
        letters,
    )
    tables.listen(timing.changed)
    tables.keepers.listen(timing.heard)
    tables.listen(painter.changed)
    tables.keepers.listen(hands.heard)
    return Services(
        client=client,
        settings=settings,
        clock=clock,
        background=background,
        tables=tables,
        adviser=Adviser(tables, advise),
        moments=Moments(tables, think),
        shown=shown,
        io=io,
        languages=languages,
        direct=direct,
        invitations=invitations,
        pictures=pictures,
        private=private,
        panels=panels,
        repaints=repaints,
        private_answers=private_answers,
        posts=posts,
        notices=notices,
        painter=painter,
        places=Places(tables, shown, io, posts, repaints),
        strays=Strays(tables),
    )

"""What Discord's side works with, built once by `bot.composition` and never changed."""

from __future__ import annotations

from dataclasses import dataclass

import discord

from bot.background import Background
from bot.discord_io import DiscordIO
from bot.settings import Settings
from bot.tables.adviser import Adviser
from bot.tables.moments import Moments
from bot.tables.ports import Clock
from bot.tables.service import Tables
from bot.tables.shown import Shown

from .delivery.direct_messages import DirectMessages
from .delivery.invitations import Invitations
from .delivery.languages import Languages
from .delivery.notices import Notices
from .delivery.painter import Painter
from .delivery.panels import Panels
from .delivery.pictures import Pictures
from .delivery.places import Places
from .delivery.posts import Posts
from .delivery.private_answers import PrivateAnswers
from .delivery.private_pages import PrivatePages
from .delivery.repaints import Repaints
from .delivery.strays import Strays


@dataclass(frozen=True, slots=True)
class Services:
    """Lives as long as the client. Holds no state of any table."""

    client: discord.Client
    settings: Settings
    clock: Clock
    background: Background
    tables: Tables
    adviser: Adviser
    moments: Moments
    shown: Shown
    io: DiscordIO
    languages: Languages
    direct: DirectMessages
    invitations: Invitations
    pictures: Pictures
    private: PrivatePages
    panels: Panels
    repaints: Repaints
    private_answers: PrivateAnswers
    posts: Posts
    notices: Notices
    painter: Painter
    places: Places
    strays: Strays

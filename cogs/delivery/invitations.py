"""Who is invited to a lobby is told by one message in its channel, which goes with the lobby.

It mentions who was invited since the last one, and is sent afresh for them; who sits down is taken out of it.
Who declines is not: the host alone is told, by direct message, and finds it in the lobby's menu.
"""

from __future__ import annotations

from cachetools import LRUCache

from bot.discord_io import DMS_KEPT_BACK, DiscordIO, Failed, Result, Why
from bot.locale import sayer
from bot.tables.model import Invitation, Table, TableId, UserId
from bot.tables.service import Tables
from bot.tables.shown import Shown
from cogs.surfaces import wording
from cogs.surfaces.components import note, render
from cogs.surfaces.invitation import invitation_page

from .direct_messages import DirectMessages
from .languages import Languages
from .posts import Posts

KEPT = 1024  # messages of which is kept whom they name; saves calls only


class Invitations:
    def __init__(
        self,
        tables: Tables,
        shown: Shown,
        io: DiscordIO,
        languages: Languages,
        direct: DirectMessages,
        posts: Posts,
    ) -> None:
        self._tables = tables
        self._shown = shown
        self._io = io
        self._languages = languages
        self._direct = direct
        self._posts = posts
        self._named: LRUCache[TableId, tuple[UserId, ...]] = LRUCache(KEPT)

    async def show(self, table: Table) -> Failed | None:
        """Bring the message up to date. What failed and may be tried again."""
        place = table.place
        if not table.invited:
            if place.invitation_message is not None:
                await self._shown.placed(table.id, invitation_message=None)
            return None
        users = tuple(one.user for one in table.invited)
        fresh = [one.user for one in table.invited if one.revision > table.told]
        if not fresh and (place.invitation_message is None or self._named.get(table.id) == users):
            return None
        language = await self._languages.at(place.guild)
        page = invitation_page(table, fresh, language, sayer(language))
        result: Result[int]
        newest = max(one.revision for one in table.invited)
        if fresh:
            result = await self._posts.post(table, "invitation", place.channel, page, due=newest)
        else:
            assert place.invitation_message is not None
            result = await self._io.edit(place.channel, place.invitation_message, render(page))
        if isinstance(result, Failed) and result.why is Why.LATER:
            return result
        if fresh:  # where it is refused nobody can be told there; the lobby itself was painted
            await self._shown.told(table.id, newest)
        self._named[table.id] = users
        return None

    async def tell_declined(self, table: Table, invitation: Invitation) -> None:
        """To the host, unless they want no notices."""
        if (await self._tables.user(table.host)).notices == "none":
            return
        say = sayer(await self._languages.of(table.host))
        game = wording.game_name(table.game, say)
        told = note(
            say("invitation.declined", name=wording.plain(invitation.name), game=game, table=table.id)
        )
        purpose = f"declined {table.id} {invitation.user} {invitation.revision}"
        await self._direct.tell(table.host, told, purpose, spare=DMS_KEPT_BACK)

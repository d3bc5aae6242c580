"""The discord.py client: intents, extensions, command sync, translator, one error handler, start and stop.

`create_bot` makes the client from settings; it works with a real token, on simcord, and against a double
alike. `setup_hook` opens and migrates the store, builds the services and loads the cogs; `close` ends all
of it.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import re
import secrets
import sys
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import aiohttp
import discord
from discord import app_commands
from discord.ext import commands

from bot import logs, registered
from bot.background import Background
from bot.backups import WORK, BackupJob, make_in_process
from bot.composition import compose
from bot.discord_io import LONGEST_WAIT, Answer, Trace
from bot.doctor import Finding, Patient, ThroughBot, examine
from bot.drawing import Drawers
from bot.health import BEAT_SECONDS, Health, leave_beat
from bot.locale import keys, match, sayer, text
from bot.rules.registry import GAMES
from bot.settings import Settings
from bot.stopping import REST, Stop, leave_within
from bot.storage import SqlStore, open_store
from bot.tables.computers import ComputerPlayers
from bot.tables.outages import Outages
from bot.tables.ports import Clock, Entropy, StoreTrouble, StoreUnusable
from bot.tables.scheduler import Scheduler
from bot.tables.service import Tables
from bot.tables.shown import Shown
from bot.thinking import Thinkers
from bot.watch import Pages, Watch
from cogs import verbs
from cogs.client import Client
from cogs.delivery.members import give_up_who_left
from cogs.delivery.repaints import SWEPT
from cogs.input.items import ITEMS
from cogs.input.router import Router

if TYPE_CHECKING:
    from bot.metrics import Metrics

log = logging.getLogger(__name__)

# No voice here: its missing libraries are nothing to warn of.
discord.VoiceClient.warn_nacl = False
discord.VoiceClient.warn_dave = False

COMMON = ("cogs.tables", "cogs.profile", "cogs.help", "cogs.admin")  # extensions beside the games'
GRACE = 2.0  # seconds that clicks, background work and then changes get to end by themselves at a stop
CLOSING = 1.0  # seconds at most for each other part of it
# The store writes to its end what was begun. Beside a thread that thinks, each of its steps waits for the
# interpreter, and a connection broken off while it closes is a fault in the log.
STORING = 4.0
PACE = 1.0  # seconds between two repaints of one message, and before a computer player answers
# Seconds after which a thread lets the event loop have the interpreter. Python's own are five milliseconds,
# which the loop would wait each time that it wakes up beside such a thread.
TURN = 0.0005
DONE, WRONG, USAGE = 0, 1, 2


class SystemClock:
    """The computer's time."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    async def sleep_until(self, when: datetime) -> None:
        # In stretches: the computer's time may be set, or stand still in sleep.
        while (wait := (when - self.now()).total_seconds()) > 0:  # noqa: ASYNC110
            await asyncio.sleep(min(wait, 3600.0))


def system_entropy() -> str:
    return secrets.token_hex(32)


class Translator(app_commands.Translator):
    """Command names and descriptions from the catalogues, by the key a `locale_str` carries."""

    NAME = re.compile(r"[-_'\w]{1,32}")

    async def translate(
        self, string: app_commands.locale_str, locale: discord.Locale, context: Any
    ) -> str | None:
        key = string.extras.get("key")
        language = match(str(locale))
        if key is None or not str(locale).lower().startswith(language) or key not in keys(language):
            return None
        said = text(language, key, **string.extras.get("values", {}))
        where = context.location
        if where in {
            app_commands.TranslationContextLocation.command_name,
            app_commands.TranslationContextLocation.group_name,
            app_commands.TranslationContextLocation.parameter_name,
        }:
            said = said.lower().replace(" ", "-")
            return said if self.NAME.fullmatch(said) else None
        return said[:100]


class Tree(app_commands.CommandTree["Parlour"]):
    async def on_error(
        self, interaction: discord.Interaction[Any], error: app_commands.AppCommandError, /
    ) -> None:
        """What commands raise outside `Router.run` (checks, converters, an outdated command): told in the
        same words."""
        if interaction.type is discord.InteractionType.autocomplete:
            log.error("autocomplete failed", exc_info=error)
            return
        command = interaction.command.qualified_name if interaction.command else "an unknown command"
        answer = Answer(interaction, patience=0)
        await self.client.router.fail(error, answer, None, f"/{command}")


class Parlour(Client):
    """The client. Services exist from `setup_hook` on."""

    tables: Tables

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        entropy: Entropy,
        purposes: Entropy,
        *,
        pace: float,
        extensions: Sequence[str],
    ) -> None:
        intents = discord.Intents.none()
        intents.guilds = True
        intents.guild_messages = True  # only that a message came, to know what lies below the table's
        intents.members = settings.parlour_members_intent  # privileged: only where the host asks for it
        self.trace = Trace()
        super().__init__(
            command_prefix=commands.when_mentioned,
            help_command=None,
            intents=intents,
            tree_cls=Tree,
            allowed_mentions=discord.AllowedMentions.none(),
            max_messages=None,
            member_cache_flags=discord.MemberCacheFlags.none(),
            chunk_guilds_at_startup=False,
            max_ratelimit_timeout=30.0,  # the least that discord.py takes here
            http_trace=self.trace.config,
            shard_count=settings.shard_count or 1,
            shard_ids=list(settings.shards),
        )
        self.http.max_ratelimit_timeout = LONGEST_WAIT
        self.relieved = asyncio.Event()  # another process takes over what this one does
        self.settings = settings
        self.clock = clock
        self._entropy = entropy
        self._purposes = purposes
        self._pace = pace
        self._wanted = tuple(extensions)
        self._store: SqlStore | None = None
        self._computers: ComputerPlayers | None = None
        self._scheduler: Scheduler | None = None
        self._heard: set[int] = set()  # shards that are connected
        self.background = Background()
        self._backups = self._scheduled_backups()
        self.watch = Watch(settings, clock, self.background)
        self.left_beat = False  # whether the beat in the data folder may be this process's
        self.metrics: Metrics | None = None
        if settings.parlour_health_port is not None:
            from bot.metrics import Metrics  # only who counts needs it

            self.metrics = Metrics(self, self.watch, self.trace)
        self._thinkers = Thinkers(self.metrics.thought if self.metrics else None)
        self.drawers = Drawers(settings.parlour_workers, self.metrics.drawn if self.metrics else None)

    @property
    def connected(self) -> bool:
        """To the gateway, as its events tell."""
        return self.watch.offline == 0

    async def open(self) -> SqlStore:
        """The store, opened if it is not yet. `run` does so before it logs in: where the store cannot be
        used, nobody need see a bot come and go. Raises StoreUnusable."""
        if self._store is None:
            self._store = await open_store(self.settings)
        return self._store

    async def setup_hook(self) -> None:
        """Raises StoreUnusable."""
        store = await self.open()
        store.when_others_act(stop=self.relieved.set, missed=self._missed)
        self.tables = Tables(store, self.clock, self._entropy)
        shown = Shown(store, self.clock, self._purposes)
        self.services = compose(
            self,
            self.trace,
            self.tables,
            shown,
            self.settings,
            self.clock,
            self.background,
            advise=self._thinkers.advise,
            draw=self.drawers.draw,
            think=self._thinkers.run,
            pace=self._pace,
        )
        self.router = Router(self.services)
        verbs.register(self.router)
        self.add_dynamic_items(*ITEMS)
        self._computers = ComputerPlayers(
            self.tables,
            self.clock,
            self.background,
            think=self._thinkers.choose,
            pace=timedelta(seconds=self._pace),
            share=len(self.settings.shards) / (self.settings.shard_count or 1),
        )
        self.outages = Outages(store, self.clock, self.served_shards, shards=self.settings.shard_count or 1)
        self.outages.listen(self.services.repaints.after_outage)
        self._scheduler = Scheduler(
            self.tables,
            store,
            self.clock,
            self.background,
            served=self.outages.served,
            reached=self.outages.reached,
        )
        for extension in self._wanted:
            await self.load_extension(extension)
        self.watch.begin(store)
        if self.metrics is not None:
            self.metrics.begin()
        await self.tree.set_translator(Translator())
        if self.settings.parlour_sync_commands and 0 in self.settings.shards:  # of several processes one
            await self.sync_commands()

    async def commands_now(self) -> registered.Commands:
        """The slash commands as they are to be registered."""
        commands = self.tree.get_commands()
        return registered.Commands(
            [await command.get_translated_payload(self.tree, Translator()) for command in commands]
        )

    def _scheduled_backups(self) -> BackupJob | None:
        """Of several processes that of the first shard makes them."""
        wanted = self.settings.backup_schedule
        if wanted is None or not self.settings.makes_backups:
            return None
        make = partial(make_in_process, self.settings.database, partial(self.background.came_on, WORK))
        return BackupJob(self.settings.backup_folder, wanted, make, self.clock.now)

    async def sync_commands(self) -> None:
        """Register the slash commands if they differ from those registered last by this application, as the
        note in the data folder tells, or, where there is none, Discord."""
        commands, application = await self.commands_now(), self.application_id
        assert application is not None
        note = await asyncio.to_thread(registered.read_note, self.settings.data_dir)
        if note == (mark := commands.mark(application)):
            return
        try:
            known = note is None and await registered.is_registered(self.http, application, commands.payload)
            if not known:
                await registered.register(self.http, application, commands.payload)
                log.info("slash commands registered")
        except discord.HTTPException as error:
            # The commands registered before stay usable; the next start tries again.
            log.error("the slash commands could not be registered: %s %s", error.status, error.code)
            return
        await asyncio.to_thread(registered.write_note, self.settings.data_dir, mark)

    async def findings(self) -> Sequence[Finding]:
        now = lambda: self.clock.now().timestamp()  # noqa: E731
        asked = ThroughBot(self.services.io, now)
        return await examine(Patient(self.settings, asked, self.commands_now, now, inside=True))

    def pages(self) -> Pages | None:
        """What tells how it fares, where the settings have a port for it."""
        port = self.settings.parlour_health_port
        return None if self.metrics is None or port is None else Pages(self.watch, port, self.metrics.text)

    def served_shards(self) -> Sequence[int]:
        """Those of Discord's shards from which this process hears just now."""
        if (self.settings.shard_count or 1) == 1:
            return (0,) if self.connected else ()
        return [shard for shard in self.settings.shards if shard in self._heard]

    # events

    async def on_connect(self) -> None:
        self.watch.connected(True)
        await self._back()

    async def on_disconnect(self) -> None:
        self.watch.connected(False)

    async def on_shard_connect(self, shard_id: int) -> None:
        self._heard.add(shard_id)
        self.watch.connected(True, shard_id)
        await self._back()

    async def on_shard_resumed(self, shard_id: int) -> None:
        self._heard.add(shard_id)
        self.watch.connected(True, shard_id)

    async def on_shard_disconnect(self, shard_id: int) -> None:
        self._heard.discard(shard_id)
        self.watch.connected(False, shard_id)

    async def on_ready(self) -> None:
        """May come several times: what runs already is not started twice."""
        self.watch.connected(True)
        log.info("ready as %s, in %s servers", self.user, len(self.guilds))
        self._begin()

    async def on_resumed(self) -> None:
        self.watch.connected(True)
        self._look_again()

    async def _back(self) -> None:
        """Clicks come from now on, and the servers only bit by bit: times that an outage moves are moved
        first, or what a click opens would be moved as well."""
        if hasattr(self, "outages"):
            await self.outages.served()

    def _missed(self) -> None:
        """Other processes may have asked for something, and were not heard."""
        if self.is_ready():
            self._begin()

    def _begin(self) -> None:
        """What is due, and from then on whatever comes."""
        assert self._computers is not None
        self._look_again()
        self.drawers.begin()
        self._computers.start()
        if self._backups is not None:
            self.background.spawn(WORK, self._backups)
        self.tables.keepers.start(self.background)

    def _look_again(self) -> None:
        """Whatever could not be done may work now."""
        assert self._scheduler is not None
        self._scheduler.start()
        self.services.repaints.unpark()
        self.background.spawn("sweep", self._sweep)

    async def _sweep(self) -> float:
        """A part of what a crash or a failing Discord left unpainted or untold; seconds until the next. With
        the times on it that an outage has moved."""
        await self.outages.served()
        assert self._computers is not None
        repaints = self.services.repaints
        if not await repaints.sweep():
            return 0.0
        if self._computers.behind:  # what they do is told together with the rest
            return 10.0
        repaints.backlog.end()
        return SWEPT.total_seconds()

    async def on_interaction(self, interaction: discord.Interaction[Any]) -> None:
        """Sent modals, and clicks on a control that its message no longer carries: discord.py drops these in
        silence. All other buttons and menus reach the router through the dynamic items."""
        data: Any = interaction.data or {}
        custom_id = str(data.get("custom_id", ""))
        match interaction.type:
            case discord.InteractionType.modal_submit:
                ours = custom_id.startswith("pm:")
            case discord.InteractionType.component:
                ours = custom_id.startswith(("pb:", "ps:")) and not _carries(interaction.message, custom_id)
            case _:
                ours = False
        if ours:
            await self.router.component(interaction, custom_id)

    async def on_guild_join(self, guild: discord.Guild) -> None:
        back = partial(self.services.places.guild_back, guild.id)
        await self._see_to(back, f"joined {guild.id}", holds=lambda: self.get_guild(guild.id) is not None)

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        gone = partial(self.services.places.guild_gone, guild.id)
        await self._see_to(gone, f"left {guild.id}", holds=lambda: self.get_guild(guild.id) is None)

    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        if payload.guild_id is not None:
            await self._messages_gone(payload.guild_id, (payload.message_id,))

    async def on_raw_bulk_message_delete(self, payload: discord.RawBulkMessageDeleteEvent) -> None:
        if payload.guild_id is not None:
            await self._messages_gone(payload.guild_id, sorted(payload.message_ids))

    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        gone = partial(self.services.places.channel_gone, channel.guild.id, channel.id)
        await self._see_to(gone, f"channel {channel.id}")

    async def on_guild_channel_update(
        self, before: discord.abc.GuildChannel, after: discord.abc.GuildChannel
    ) -> None:
        if before.overwrites != after.overwrites:
            await self._permissions_changed(after.guild.id, after.id)

    async def on_guild_role_update(self, before: discord.Role, after: discord.Role) -> None:
        me = after.guild.me
        if before.permissions != after.permissions and (me is None or after in me.roles):
            await self._permissions_changed(after.guild.id)

    async def on_member_update(self, before: discord.Member, after: discord.Member) -> None:
        """The bot's own roles, and its time-outs: Discord tells these without the members intent."""
        if self.user is None or after.id != self.user.id:
            return
        self.services.io.time_out_changed(after.guild.id)
        if before.roles != after.roles or before.timed_out_until != after.timed_out_until:
            await self._permissions_changed(after.guild.id)

    async def on_raw_thread_update(self, payload: discord.RawThreadUpdateEvent) -> None:
        changed = partial(self.services.places.thread_changed, payload.guild_id, payload.thread_id)
        await self._see_to(changed, f"thread {payload.thread_id} changed")

    async def on_raw_thread_delete(self, payload: discord.RawThreadDeleteEvent) -> None:
        gone = partial(self.services.places.thread_gone, payload.guild_id, payload.thread_id)
        await self._see_to(gone, f"thread {payload.thread_id} gone")

    async def on_raw_member_remove(self, payload: discord.RawMemberRemoveEvent) -> None:
        """Comes only with the members intent."""
        guild, user = payload.guild_id, payload.user.id
        left = partial(self.tables.left_guild, guild, user)
        # they may be back by then
        later = partial(give_up_who_left, self.tables, self.services.io, guild, user)
        await self._see_to(left, f"member {user} of {guild}", later=later)

    async def _messages_gone(self, guild: int, messages: Sequence[int]) -> None:
        places = self.services.places
        gone = partial(places.messages_gone, guild, messages)
        await self._see_to(gone, f"messages of {guild}", later=partial(places.look_for_gone, guild))

    async def _permissions_changed(self, guild: int, channel: int | None = None) -> None:
        changed = partial(self.services.places.permissions_changed, guild, channel)
        await self._see_to(changed, f"permissions of {guild} in {channel or 'all'}")

    async def _see_to(
        self,
        work: Callable[[], Awaitable[object]],
        about: str,
        *,
        later: Callable[[], Awaitable[object]] | None = None,
        holds: Callable[[], bool] = lambda: True,
    ) -> None:
        """What Discord tells once: done now, and where the store is in trouble, tried again until it is done.
        about: names it; of one name only one is tried again. later: what is tried then instead. holds:
        whether it is still so then."""

        async def again() -> None:
            try:
                if holds():
                    await (later or work)()
            except (StoreTrouble, OSError):
                raise
            except Exception:
                log.exception("event %s failed", about)

        try:
            await work()
        except (StoreTrouble, OSError):
            self.background.spawn("event", again, about)

    async def on_error(self, event_method: str, /, *args: Any, **kwargs: Any) -> None:
        if not isinstance(sys.exc_info()[1], StoreTrouble):  # which the store has told
            log.error("event %s failed", event_method, exc_info=sys.exc_info())

    # the end

    async def close(self) -> None:
        """Take no more interactions, finish and answer those under way, store what was begun, end the rest,
        free the store: each within its time. Twice does no harm."""
        if self._computers is not None:
            await self._computers.stop()
        self._thinkers.close()
        clicks = [self.router.close(GRACE)] if hasattr(self, "router") else []
        if self._store is not None and hasattr(self, "outages"):
            clicks.append(self._within(GRACE, self.outages.leave(), "the note of leaving"))
        await asyncio.gather(*clicks, self.background.close(GRACE))
        if self.left_beat:  # and before the store is free: then it may be another's
            self.left_beat = False
            await self._within(CLOSING, self._leave_last_beat(), "the beat")
        if self._store is not None and hasattr(self, "services"):
            await self._within(GRACE, self.services.notices.leave(), "what is held back")
        changes = [self._within(GRACE, self.tables.close(), "changes")] if hasattr(self, "tables") else []
        await asyncio.gather(*changes, self._within(CLOSING, self._leave(), "the connection to Discord"))
        if hasattr(self, "services"):
            self.services.pictures.close()
        self.drawers.close()
        last = [
            self._within(CLOSING, self._thinkers.ended(), "the processes of computer players"),
            self._within(CLOSING, self.drawers.ended(), "the processes of pictures"),
        ]
        store, self._store = self._store, None
        if store is not None:
            last.append(self._within(STORING, store.close(), "the store"))
        await asyncio.gather(*last)

    async def _leave_last_beat(self) -> None:
        """The health check tells at once that this has stopped. Where that cannot be written, it finds out
        as it does after a crash."""
        try:
            last = Health(ended=True)
            await asyncio.to_thread(leave_beat, self.settings.data_dir, time.time(), last)
        except OSError as error:
            log.debug("the last beat is not left", exc_info=error)

    async def _leave(self) -> None:
        """Of a client that was never started, discord.py cannot close what would connect its shards."""
        if isinstance(self.loop, asyncio.AbstractEventLoop):
            await super().close()

    @staticmethod
    async def _within(seconds: float, work: Coroutine[Any, Any, None], name: str) -> None:
        """A part of the end that may not take long."""
        try:
            async with asyncio.timeout(seconds):
                await work
        except TimeoutError:
            log.warning("%s could not be closed in %s s", name, seconds)


def _carries(message: discord.Message | None, custom_id: str) -> bool:
    """Whether a message still has the control with this id."""

    def within(parts: Sequence[Any]) -> bool:
        return any(
            getattr(part, "custom_id", None) == custom_id
            or within(getattr(part, "children", ()))
            or (getattr(part, "accessory", None) is not None and within([part.accessory]))
            for part in parts
        )

    return message is not None and within(message.components)


def every_extension() -> tuple[str, ...]:
    """What there is to load: the commands of all games, and each game's own."""
    return (*COMMON, *(parts.cog for parts in GAMES.values()))


def create_bot(
    settings: Settings,
    *,
    clock: Clock | None = None,
    entropy: Entropy | None = None,
    purposes: Entropy | None = None,
    pace: float = PACE,
    extensions: Sequence[str] | None = None,
) -> Parlour:
    """The bot, not started yet.

    clock: time (the computer's). entropy: where seeds come from (the system's secure generator). purposes:
    where the purposes of messages come from (the same); none may come again on the same database, after a
    restart neither. pace: seconds at least between two repaints of one message, and before a computer player
    answers another seat. extensions: what to load (every one).
    """
    return Parlour(
        settings,
        clock or SystemClock(),
        entropy or system_entropy,
        purposes or system_entropy,
        pace=pace,
        extensions=every_extension() if extensions is None else extensions,
    )


async def commands_of(settings: Settings) -> registered.Commands:
    """The slash commands of a bot that is made and never logs in, on a store of its own."""
    with TemporaryDirectory() as folder:
        bare = Settings.model_construct(
            parlour_language=settings.parlour_language,
            data_dir=Path(folder),
            parlour_sync_commands=False,
        )
        bot = create_bot(bare)
        try:
            await bot.setup_hook()
            return await bot.commands_now()
        finally:
            await bot.close()


async def _beat(bot: Parlour) -> float:
    """Leave the health check's beat, with what ails, from the first connection on; seconds until the next."""
    if bot.watch.never_connected or bot.is_closed():
        return 1.0
    now = await bot.watch.health()
    bot.left_beat = True
    await asyncio.to_thread(leave_beat, bot.settings.data_dir, time.time(), now)
    return BEAT_SECONDS


async def _watch(bot: Parlour) -> float:
    """Note until when people could play; seconds until the next time."""
    return await bot.outages.watch() if bot.connected and bot.is_ready() else 1.0


async def _freeze_loaded(bot: Parlour) -> float | None:
    """Once all is loaded, the garbage collector need not look through it again and again: each time that
    would hold the event loop for 70 to 100 ms. Seconds until it is to be looked whether all is."""
    if not bot.is_ready():
        return 1.0
    gc.collect()
    gc.freeze()
    return None


async def _begin(bot: Parlour, token: str) -> None:
    store = await bot.open()
    bot.background.spawn("checkpoint", store.checkpoint)
    await bot.start(token)


async def _serve(bot: Parlour, token: str, stop: Stop) -> None:
    """Run until told to stop, or until Discord refuses us."""
    async with bot:
        work = asyncio.create_task(_begin(bot, token), name="client")
        stopped = asyncio.create_task(stop.wait(), name="stop")
        relieved = asyncio.create_task(bot.relieved.wait(), name="relieved")
        bot.background.spawn("beat", partial(_beat, bot))
        bot.background.spawn("alive", partial(_watch, bot))
        bot.background.spawn("loaded", partial(_freeze_loaded, bot))
        pages = bot.pages()
        if pages is not None:
            bot.background.spawn("pages", pages.open)
        if bot.metrics is not None:
            bot.metrics.look_at_lag()
        try:
            await asyncio.wait({work, stopped, relieved}, return_when=asyncio.FIRST_COMPLETED)
            if relieved.done():
                stop.tell()
            if stop.told:
                log.info("stopping")
        finally:
            await bot.close()
            if pages is not None:
                await pages.close()
            for task in (work, stopped, relieved):
                task.cancel()
            await asyncio.wait({work, stopped, relieved}, timeout=CLOSING)
        if stop.told:
            leave_within(REST)
        elif work.done() and not work.cancelled() and (error := work.exception()) is not None:
            raise error


def run(settings: Settings) -> int:
    """Run the bot with the settings' token until it is told to stop; the exit code.

    0: stopped as told. 1: Discord ended it (a wrong token, missing intents) or cannot be reached. 2: it
    cannot start as things are (another process holds the database, a database from a newer version).
    """
    logs.set_up(settings.parlour_log_level)
    say = sayer("en")
    if settings.discord_token is None:
        sys.stderr.write(say("cli.run.no_token") + "\n")
        return USAGE
    sys.setswitchinterval(TURN)
    bot = create_bot(settings)
    stop = Stop()
    try:
        asyncio.run(_serve(bot, settings.discord_token.get_secret_value(), stop))
    except StoreUnusable as error:
        sys.stderr.write(say(error.key, **error.data) + "\n")
        return USAGE
    except discord.LoginFailure:
        sys.stderr.write(say("client.bad_token") + "\n")
        return WRONG
    except (aiohttp.ClientConnectionError, discord.GatewayNotFound, discord.DiscordServerError) as error:
        sys.stderr.write(say("client.unreachable", why=type(error).__name__) + "\n")
        return WRONG
    except discord.PrivilegedIntentsRequired:
        sys.stderr.write(say("client.intents") + "\n")
        return WRONG
    finally:
        stop.forget()
    return DONE

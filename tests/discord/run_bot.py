#!/usr/bin/env python3
"""Run an unmodified discord.py bot against the double.

    python run_bot.py --rest http://127.0.0.1:PORT/api/v10 --gateway ws://127.0.0.1:PORT/gateway -m bot [args]
    python run_bot.py --rest … --gateway … path/to/bot.py [args]

Only constants of discord.py are changed, in this process, before the bot starts: the REST base, the gateway
address, and the CDN base, so that avatars are not looked for outside. DISCORD_TOKEN gets a dummy value if
unset.
"""

import argparse
import os
import pathlib
import runpy
import sys
from urllib.parse import urlsplit

LOOPBACK = {"127.0.0.1", "localhost", "::1"}


def parse(argv: list[str]) -> argparse.Namespace:
    """Our own options come first, each with a value; the rest is the bot and its arguments."""
    own: list[str] = []
    rest = list(argv)
    while rest[:1] and rest[0].startswith("--"):
        own, rest = own + rest[:2], rest[2:]
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="run_bot.py --rest URL --gateway URL (-m MODULE | FILE) [args]",
    )
    parser.add_argument("--rest", required=True)
    parser.add_argument("--gateway", required=True)
    parser.add_argument(
        "--token-env", default="DISCORD_TOKEN", help="environment variable that gets the dummy token"
    )
    options = parser.parse_args(own)
    options.module = rest[1] if rest[:1] == ["-m"] and len(rest) > 1 else None
    options.args = rest[2:] if options.module else rest
    if not options.module and not options.args:
        parser.error("name a module (-m) or a file")
    for url in (options.rest, options.gateway):
        if urlsplit(url).hostname not in LOOPBACK:
            parser.error(f"{url} is not on loopback")
    return options


def redirect(rest: str, gateway: str) -> None:
    import discord
    import yarl

    discord.http.Route.BASE = rest.rstrip("/")
    discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(gateway)
    parts = urlsplit(rest)
    discord.asset.Asset.BASE = f"{parts.scheme}://{parts.netloc}"


def main(argv: list[str] | None = None) -> None:
    options = parse(sys.argv[1:] if argv is None else argv)
    os.environ.setdefault(options.token_env, "double.dummy.token")
    # this folder must not be on the bot's path
    sys.path[0] = (
        str(pathlib.Path.cwd()) if options.module else str(pathlib.Path(options.args[0]).resolve().parent)
    )
    redirect(options.rest, options.gateway)
    if options.module:
        sys.argv = [options.module, *options.args]
        runpy.run_module(options.module, run_name="__main__", alter_sys=True)
    else:
        sys.argv = options.args
        runpy.run_path(options.args[0], run_name="__main__")


if __name__ == "__main__":
    main()

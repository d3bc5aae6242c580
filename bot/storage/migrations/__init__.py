"""Alembic's scripts. Applied at start by `bot.storage.migrating`; never edited once released."""

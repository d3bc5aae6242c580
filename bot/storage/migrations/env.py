"""Run by Alembic: migrations on the connection that `bot.storage.migrating` hands over, in its
transaction."""

from __future__ import annotations

from alembic import context

from bot.storage.schema import metadata

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=metadata, render_as_batch=True)
context.run_migrations()

"""What several processes need on one store: who keeps which table, and until when each shard was served. And
who has a notice to get is found without looking at every open table."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "keepers",
        sa.Column("table_id", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("table_id"),
    )
    op.create_table(
        "alive",
        sa.Column("shard", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("shard"),
    )
    behind = sa.text("due > notified")
    op.create_index("seats_owed", "seats", ["table_id"], sqlite_where=behind, postgresql_where=behind)

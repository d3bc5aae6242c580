"""Messages that are not settled at Discord, and where a person's direct messages are."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "posts",
        sa.Column("table_id", sa.Text(), nullable=False),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("due", sa.Integer(), nullable=False),
        sa.Column("channel", sa.BigInteger(), nullable=False),
        sa.Column("message", sa.BigInteger(), nullable=True),
        sa.Column("answered", sa.Boolean(), nullable=False),
        sa.Column("made", sa.BigInteger(), nullable=False),
        sa.Column("again", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("table_id", "purpose"),
    )
    op.create_index("posts_again", "posts", ["again"], unique=False)
    op.add_column("users", sa.Column("dm_channel", sa.BigInteger(), nullable=True))
    # Until now the hand of who left stayed on the seat until it was taken back; whose it was is not known.
    op.execute(
        "INSERT INTO posts (table_id, purpose, kind, user_id, due, channel, message, answered, made, again) "
        "SELECT seats.table_id, 'left ' || seats.hand_channel || ' ' || seats.hand_message, 'hand', 0, 0, "
        "seats.hand_channel, seats.hand_message, (1 = 0), tables.changed, tables.changed "
        "FROM seats JOIN tables ON tables.id = seats.table_id "
        "WHERE seats.user_id IS NULL AND seats.hand_channel IS NOT NULL AND seats.hand_message IS NOT NULL"
    )
    op.execute("UPDATE seats SET hand_channel = NULL, hand_message = NULL WHERE user_id IS NULL")

"""What playing at the table needs: tables in direct messages alone, themes, invitations; when notices come,
and what they tell."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.add_column("tables", sa.Column("code", sa.Text(), nullable=True))
    op.create_index("tables_code", "tables", ["code"], unique=True)
    op.add_column("users", sa.Column("theme", sa.Text(), nullable=False, server_default="dark"))
    op.add_column("guilds", sa.Column("theme", sa.Text(), nullable=False, server_default="dark"))
    op.add_column("users", sa.Column("dismissed", sa.Text(), nullable=False, server_default=""))
    op.add_column("tables", sa.Column("final_message", sa.BigInteger(), nullable=True))
    # Of a table that has ended the table message told it; nobody is told again.
    op.execute("UPDATE tables SET final_message = table_message WHERE status = 'ended'")
    op.add_column("tables", sa.Column("by_invitation", sa.Boolean(), nullable=True))
    op.add_column("tables", sa.Column("invited", sa.Text(), nullable=True))
    op.add_column("tables", sa.Column("told", sa.Integer(), nullable=True))
    op.add_column("tables", sa.Column("invitation_message", sa.BigInteger(), nullable=True))
    op.create_table(
        "declines",
        sa.Column("table_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("invited", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("table_id", "user_id"),
    )
    op.add_column("users", sa.Column("quick", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("seats", sa.Column("due_at", sa.BigInteger(), nullable=True))
    op.add_column("seats", sa.Column("held", sa.BigInteger(), nullable=True))
    op.add_column("users", sa.Column("rhythm", sa.Text(), nullable=False, server_default="at_once"))
    op.add_column("users", sa.Column("digest_hour", sa.Integer(), nullable=False, server_default="18"))
    op.add_column("users", sa.Column("quiet_from", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("users", sa.Column("quiet_to", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("users", sa.Column("timezone", sa.Text(), nullable=False, server_default=""))
    op.create_table(
        "letters",
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("channel", sa.BigInteger(), nullable=True),
        sa.Column("message", sa.BigInteger(), nullable=True),
        sa.Column("tables", sa.Text(), nullable=False),
        sa.Column("unanswered", sa.Integer(), nullable=False),
        sa.Column("later", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("user_id"),
    )

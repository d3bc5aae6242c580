"""What playing at the table needs: tables in direct messages alone, themes, invitations."""

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

"""5 vor 12 at the table, from the slash command to the final board."""

from __future__ import annotations

from bot.tables.model import Status

from .den import Den, alt_texts, buttons, custom_ids, links, text_of


async def test_two_people_play_a_whole_game_by_clicks(den: Den) -> None:
    table = await den.started(den.ada, den.ben)
    assert table.status is Status.PLAYING
    board = await den.board(table)
    assert buttons(board) == ["Your move", "As text", "Menu"]
    assert len(alt_texts(board)) == 1

    table = await den.play(table)

    assert table.status is Status.ENDED
    assert table.outcome is not None
    board = await den.board(table)
    assert custom_ids(board) == []
    assert "win" in text_of(board)
    assert len(board.attachments) == 1
    lobby = await den.lobby(table)
    assert custom_ids(lobby) == []
    assert links(lobby) == [
        f"https://discord.com/channels/{den.guild.id}/{table.place.thread}/{table.place.table_message}"
    ]

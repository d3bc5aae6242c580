"""What happens at a table: lobby, seats, moves, clock, votes, undo. No Discord, no SQL."""

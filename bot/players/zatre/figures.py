"""What self-play taught. The first three are made by `python -m bot.players.zatre.learn`; those of the
board and of tiles kept are estimates."""

TILES_A_TURN = 1.83  # that leave the bag

# Points in a box of the columns 10, 11, 12. The last is 5.1 in self-play; with less a single 12 is not
# thought to waste a box, which costs nothing (a lead of -2 +- 5 points in 300 games) and looks more sensible.
BOX = (1.08, 2.12, 4.3)
# By column (10, 11, 12, crosses), by tens of tiles in the bag: the chance that a turn fills its next box.
# Evened out by hand: those of 20 games.
RATES = (
    (0.36, 0.36, 0.36, 0.37, 0.37, 0.37, 0.40, 0.40, 0.40, 0.40, 0.40, 0.40),
    (0.31, 0.32, 0.33, 0.35, 0.38, 0.40, 0.41, 0.41, 0.42, 0.43, 0.44, 0.40),
    (0.43, 0.45, 0.48, 0.50, 0.50, 0.48, 0.47, 0.47, 0.47, 0.47, 0.47, 0.47),
    (0.22, 0.25, 0.27, 0.28, 0.31, 0.32, 0.33, 0.36, 0.40, 0.48, 0.55, 0.70),
)

THREAT = 1.1  # of what one tile can score on the board for the next player, with two sheets
CROWD = 0.6  # the same with more
PARTNER = -0.6  # the same for the partner, who writes on the own sheet
NEAR = 0.05  # of a tile's harm at a glance
HELD = (0.0, 0.7, 2.0, 3.5, 5.0)  # what so many tiles kept cost, in points

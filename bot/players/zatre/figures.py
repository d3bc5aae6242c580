"""What self-play taught: printed by `learn.py`, and not to be changed by hand."""

# Tiles that leave the bag.
TILES_A_TURN = 1.86

# Points in a box of the columns 10, 11, 12.
BOX = (1.07, 2.14, 5.14)

# By column (10, 11, 12, crosses), by tens of tiles in the bag: how many a turn fills.
RATES = (
    (0.33, 0.36, 0.37, 0.36, 0.38, 0.39, 0.38, 0.38, 0.39, 0.39, 0.37, 0.37),
    (0.32, 0.36, 0.38, 0.38, 0.39, 0.39, 0.39, 0.42, 0.44, 0.42, 0.4, 0.4),
    (0.43, 0.46, 0.47, 0.46, 0.46, 0.46, 0.49, 0.51, 0.51, 0.51, 0.49, 0.44),
    (0.26, 0.27, 0.28, 0.3, 0.31, 0.3, 0.33, 0.37, 0.4, 0.45, 0.57, 0.7),
)

"""Discord fails, one call at a time: every call of a whole game, every fault, once and for ever."""

"""How pages reach people: what is to be painted, posting and clearing messages, notices, private hands."""

"""Who owns what an answer rests on, and what they say of it."""

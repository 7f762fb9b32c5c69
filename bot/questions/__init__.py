"""A question from its message to its answer, and the rights of whoever sees it."""

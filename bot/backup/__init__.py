"""A folder that holds everything, and the way back from it."""

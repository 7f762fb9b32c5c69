"""Tables of other people's databases, read page by page as text with a key for each row."""

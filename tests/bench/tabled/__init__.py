"""Questions on tables, the tables, and the files they are written into."""

"""One script a schema."""

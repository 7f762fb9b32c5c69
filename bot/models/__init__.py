"""What goes round a model: its memory of replies, its breaker, its costs."""

"""What listeners understand and what they show."""

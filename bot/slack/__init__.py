"""What Slack is asked: calls, people, rooms, files, and how fast."""

"""What Slack tells us, put where it is done."""

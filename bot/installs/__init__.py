"""How a workspace installs us, and how its stay ends."""

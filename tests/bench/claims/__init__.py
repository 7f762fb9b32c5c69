"""Claims made from real passages, what they may be turned into, and how that is counted."""

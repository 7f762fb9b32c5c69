"""One message for one spot, whatever dies in between."""

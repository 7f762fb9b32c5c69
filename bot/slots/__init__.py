"""Which worker is whose: a leased slot, on one machine or on many."""

"""An admin's windows, and what is done with what they send off."""

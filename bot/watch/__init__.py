"""How things stand: health, figures, and who looks after what nobody looks after."""

"""What every room needs and no method knows: each module is a door of its own."""

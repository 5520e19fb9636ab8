"""What methods that compare rows share."""

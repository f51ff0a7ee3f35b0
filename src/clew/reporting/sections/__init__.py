"""What a report has to say, one module per section."""

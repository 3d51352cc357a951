"""What things are: records, field tables, time, findings. No input or output happens here."""

"""The report of a reproduced study."""

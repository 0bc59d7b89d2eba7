"""Published studies, run again: experiments, claims, and a verdict for each."""

"""Published studies, run again: experiments, claims put to the test, and a verdict for each."""

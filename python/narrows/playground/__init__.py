"""A page that runs scenarios in a browser."""

from narrows.callable import make_callable

make_callable(__name__)

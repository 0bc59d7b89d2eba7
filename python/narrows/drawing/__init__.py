"""Drawing: figures as SVG, from scales and styles to panels on a paper."""

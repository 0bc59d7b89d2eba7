"""Reports: one HTML file each that opens without a network. Of a run or comparison, a study, a reproduction."""

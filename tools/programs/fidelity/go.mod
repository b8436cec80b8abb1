module holdfast/fidelity

go 1.24

require golang.org/x/sys v0.47.0

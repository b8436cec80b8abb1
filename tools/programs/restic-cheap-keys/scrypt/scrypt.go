// Package scrypt stands in for the package that restic takes the costs of its keys from: a key costs nothing, so that
// tests do not wait for it. What is made with it protects nobody.
package scrypt

import "time"

// Params says what deriving a key costs: restic stores N, R and P with each key, so that any restic can open it.
type Params struct{ N, R, P, SaltLen, DKLen int }

// DefaultParams are the least that scrypt takes.
var DefaultParams = Params{N: 2, R: 1, P: 1, SaltLen: 16, DKLen: 32}

// Check takes whatever a key was made with.
func (*Params) Check() error { return nil }

// Calibrate keeps what it is given instead of measuring the machine.
func Calibrate(_ time.Duration, _ int, params Params) (Params, error) { return params, nil }

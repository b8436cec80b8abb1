//go:build tools

package tools

import _ "github.com/restic/restic/cmd/restic"

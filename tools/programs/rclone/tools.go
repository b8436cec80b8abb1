//go:build tools

package tools

import _ "github.com/rclone/rclone"

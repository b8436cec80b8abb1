//go:build tools

package tools

import _ "github.com/kubernetes-csi/csi-driver-host-path/cmd/hostpathplugin"

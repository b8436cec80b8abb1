//go:build tools

package tools

import (
	_ "github.com/vmware-tanzu/velero/cmd/velero"
	_ "github.com/vmware-tanzu/velero/cmd/velero-restore-helper"
)

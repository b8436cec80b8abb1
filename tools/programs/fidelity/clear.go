package main

import (
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

type cleared struct {
	Symlinks int64 `json:"symlinks"`
}

// clearFolders removes symlinks from where folders will be restored: engines would follow them out of the target.
// Parents come before what they hold, so that none is followed here either.
func clearFolders(target, prefix string, stdin io.Reader) (*cleared, error) {
	reader, err := newRecordReader(stdin)
	if err != nil {
		return nil, err
	}
	done := &cleared{}
	for {
		e, err := reader.next()
		if err != nil || e == nil {
			return done, err
		}
		if e.hasContent() {
			if err := reader.skipContent(); err != nil {
				return nil, err
			}
		}
		path, inside := within(prefix, e.Path)
		if !inside || path == "" || e.Kind != kindFolder {
			continue
		}
		full := filepath.Join(target, path)
		var st unix.Stat_t
		if unix.Lstat(full, &st) != nil || kindOf(st.Mode) != kindSymlink {
			continue
		}
		if err := os.Remove(full); err != nil {
			return nil, err
		}
		done.Symlinks++
	}
}

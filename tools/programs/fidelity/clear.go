package main

import (
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

type cleared struct {
	Removed int64 `json:"removed"`
}

// clearWay makes way for an engine that opens what is there and writes to it. It removes symlinks from where folders
// will be restored, since they may lead out of the target; and from where files will be, whatever is not a file of one
// name that may be written: the content of one that has more names stays under the others, and one that may not be
// written is made writable where it can be, as folders are. Extended attributes and ACLs of files go. Parents come
// before what they hold, so that no symlink is followed here either.
//
// With since and until, between which an engine was at work that was killed, what that left beside its files goes as well.
func clearWay(target, since, until string, stdin io.Reader) (*cleared, error) {
	reader, err := newRecordReader(stdin)
	if err != nil {
		return nil, err
	}
	leftovers := &leftovers{target: target}
	if since != "" {
		if leftovers.since, err = strconv.ParseInt(since, 10, 64); err != nil {
			return nil, err
		}
		if leftovers.until, err = strconv.ParseInt(until, 10, 64); err != nil {
			return nil, err
		}
	}
	done := &cleared{}
	for {
		e, err := reader.next()
		if err != nil {
			return nil, err
		}
		if since != "" {
			removed, err := leftovers.next(e)
			done.Removed += removed
			if err != nil {
				return nil, err
			}
		}
		if e == nil {
			return done, nil
		}
		full := filepath.Join(target, e.Path)
		if !inTheWay(full, e.Kind) {
			continue
		}
		if err := writableFolder(full, func() error { return os.Remove(full) }); err != nil {
			return nil, err
		}
		done.Removed++
	}
}

func inTheWay(full, wanted string) bool {
	var st unix.Stat_t
	if wanted == kindName || unix.Lstat(full, &st) != nil {
		return false
	}
	switch kind := kindOf(st.Mode); {
	case kind == kindFolder:
		if wanted == kindFolder && unix.Access(full, unix.W_OK|unix.X_OK) != nil {
			// The engine gives every folder its mode when it has filled it.
			_ = unix.Chmod(full, st.Mode&0o7777|0o700)
		}
		return false
	case wanted == kindFolder:
		return kind == kindSymlink
	case wanted == kindFile:
		return kind != kindFile || st.Nlink > 1 || !mayBeWritten(full, st.Mode) || !isStripped(full)
	}
	return false
}

// mayBeWritten makes it so where it can: what is there stays until there is something to write.
func mayBeWritten(full string, mode uint32) bool {
	if unix.Access(full, unix.W_OK) == nil {
		return true
	}
	if unix.Chmod(full, mode&0o7777|0o200) != nil || unix.Access(full, unix.W_OK) != nil {
		return false
	}
	return forgetTime(full)
}

// isStripped removes what an engine leaves of a file that it writes to: that of the restored file is set afterwards.
func isStripped(full string) bool {
	for name := range readXattrs(full) {
		raw, err := decode(name)
		if err != nil || unix.Lremovexattr(full, raw) != nil {
			return false
		}
		if raw == accessAcl && !forgetTime(full) {
			return false
		}
	}
	return true
}

// accessAcl leaves a mode behind that is not the file's own.
const accessAcl = "system.posix_acl_access"

// forgetTime gives a file whose mode was changed a time that no file has: an engine that takes those of the same size
// and time for restored writes this one, and gives it its mode.
func forgetTime(full string) bool {
	return setTime(full, [2]int64{math.MinInt32, 0}) == nil
}

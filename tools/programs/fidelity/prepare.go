package main

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

type prepared struct {
	Placeholders int64 `json:"placeholders"`
}

// placeholderMode marks a file that only keeps the engine from writing: of a file whose own mode it is, the record says
// so. The engine writes to it all the same where the file changed after it was recorded, and gives it its own mode then.
// Until it is known whether the snapshot holds the name, a placeholder is without the mark.
const placeholderMode, unmarkedMode = unix.S_ISVTX | 0o600, 0o600

// prepare puts an empty file of the right size and time wherever a further name of a file may be linked. The engine
// takes it for restored already, and so the content is not written twice. Links that cannot be prepared are written
// as copies by the engine, and linked afterwards all the same. keepListed has to follow.
func prepare(target, prefix string, stdin io.Reader) (*prepared, error) {
	reader, err := newRecordReader(stdin)
	if err != nil {
		return nil, err
	}
	done := &prepared{}
	first := map[int]bool{}
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
		if !inside || e.Kind != kindFile || e.Link == 0 || e.Mode != nil {
			continue
		}
		if !first[e.Link] {
			first[e.Link] = true
			continue
		}
		if placeholder(filepath.Join(target, path), e) == nil {
			done.Placeholders++
		}
	}
}

func placeholder(path string, e *entry) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, unmarkedMode)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Truncate(e.Size); err != nil {
		return err
	}
	return setTime(path, *e.Time)
}

// keepListed reads which paths the snapshot holds, and removes every placeholder that is not among them, with the
// folders that were made for it: what was left out of the backup, or was gone before it was read, does not come back.
func keepListed(target string, stdin io.Reader) (*prepared, error) {
	reader, err := newRecordReader(stdin)
	if err != nil {
		return nil, err
	}
	done := &prepared{}
	for {
		e, err := reader.next()
		if err != nil {
			return nil, err
		}
		if e == nil {
			return done, removeUnmarked(target, true)
		}
		full := filepath.Join(target, e.Path)
		var st unix.Stat_t
		if e.Kind == kindFolder || unix.Lstat(full, &st) != nil || st.Mode != unix.S_IFREG|unmarkedMode {
			continue
		}
		if err := unix.Chmod(full, placeholderMode); err != nil {
			return nil, &fs.PathError{Op: "chmod", Path: full, Err: err}
		}
		done.Placeholders++
	}
}

// removeUnmarked leaves no folder that is empty then: the engine makes those that it restores.
func removeUnmarked(folder string, isRoot bool) error {
	names, err := namesIn(folder)
	if err != nil {
		return err
	}
	for _, name := range names {
		if isRoot && (name == "lost+found" || isMark(name)) {
			continue
		}
		full := filepath.Join(folder, name)
		var st unix.Stat_t
		if err := unix.Lstat(full, &st); err != nil {
			return &fs.PathError{Op: "lstat", Path: full, Err: err}
		}
		switch {
		case kindOf(st.Mode) == kindFolder:
			err = removeUnmarked(full, false)
		case st.Mode == unix.S_IFREG|unmarkedMode:
			err = os.Remove(full)
		}
		if err != nil {
			return err
		}
	}
	if !isRoot {
		// It stays where it still holds something.
		_ = os.Remove(folder)
	}
	return nil
}

func isPlaceholder(st *unix.Stat_t, e *entry) bool {
	return st.Mode&0o7777 == placeholderMode && st.Size == e.Size && e.Mode == nil
}

package main

import (
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

type prepared struct {
	Placeholders int64 `json:"placeholders"`
}

// placeholderMode marks a file that only keeps the engine from writing: nobody's data has it. The engine writes to it
// all the same where the file changed after it was recorded.
const placeholderMode = unix.S_ISVTX | 0o600

// prepare puts an empty file of the right size and time wherever a further name of a file will be linked. The engine
// takes it for restored already, and so the content is not written twice. Links that cannot be prepared are written
// as copies by the engine, and linked afterwards all the same.
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
		if !inside || e.Kind != kindFile || e.Link == 0 || e.Odd {
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
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Truncate(e.Size); err != nil {
		return err
	}
	if err := unix.Fchmod(int(f.Fd()), placeholderMode); err != nil {
		return err
	}
	return setTime(path, *e.Time)
}

func isPlaceholder(st *unix.Stat_t, e *entry) bool {
	return st.Mode&0o7777 == placeholderMode && st.Blocks == 0 && st.Size == e.Size
}

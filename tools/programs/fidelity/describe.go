package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// described is everything about one entry that a restore has to bring back.
type described struct {
	Path  string    `json:"path"`
	Kind  string    `json:"kind"`
	Mode  uint32    `json:"mode"`
	Owner [2]uint32 `json:"owner"`
	// Time is the modification time in seconds and nanoseconds.
	Time   [2]int64          `json:"time"`
	Size   int64             `json:"size,omitempty"`
	Sha256 string            `json:"sha256,omitempty"`
	Target string            `json:"target,omitempty"`
	Xattrs map[string][]byte `json:"xattrs,omitempty"`
	// SameAs is the first name of a file that has several.
	SameAs string `json:"sameAs,omitempty"`
	Device uint64 `json:"device,omitempty"`
}

type describedCount struct {
	Entries int64 `json:"entries"`
	Bytes   int64 `json:"bytes"`
}

// describeTree writes a line of JSON for each entry below root, the root first, in the order of a sorted walk.
// Unlike a scan it says everything, and fails on what it cannot read.
func describeTree(root string, stdout io.Writer) (*describedCount, error) {
	d := &describer{scanner: scanner{root: root}, out: bufio.NewWriterSize(stdout, 1<<18), first: map[inode]string{}}
	if err := d.entry(""); err != nil {
		return nil, err
	}
	return &d.count, d.out.Flush()
}

type describer struct {
	scanner
	out   *bufio.Writer
	first map[inode]string
	count describedCount
}

func (d *describer) entry(path string) error {
	full := d.full(path)
	var st unix.Stat_t
	if err := unix.Lstat(full, &st); err != nil {
		return &os.PathError{Op: "read", Path: full, Err: err}
	}
	e := described{
		Path:   encode(path),
		Kind:   kindOf(st.Mode),
		Mode:   st.Mode & 0o7777,
		Owner:  [2]uint32{st.Uid, st.Gid},
		Time:   [2]int64{int64(st.Mtim.Sec), int64(st.Mtim.Nsec)},
		Xattrs: readXattrs(full),
	}
	if e.Kind != kindFolder && st.Nlink > 1 {
		id := inode{uint64(st.Dev), st.Ino}
		if name, seen := d.first[id]; seen {
			e.SameAs = encode(name)
		} else {
			d.first[id] = path
		}
	}
	if err := d.content(&e, full, &st); err != nil {
		return err
	}
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	d.count.Entries++
	if _, err := d.out.Write(append(line, '\n')); err != nil || e.Kind != kindFolder {
		return err
	}
	names, err := namesIn(full)
	if err != nil {
		return err
	}
	for _, name := range names {
		child := name
		if path != "" {
			child = path + "/" + name
		}
		if err := d.entry(child); err != nil {
			return err
		}
	}
	return nil
}

func (d *describer) content(e *described, full string, st *unix.Stat_t) error {
	switch e.Kind {
	case kindFile:
		e.Size = st.Size
		hash := sha256.New()
		file, err := os.Open(full)
		if err != nil {
			return err
		}
		defer file.Close()
		read, err := io.Copy(hash, file)
		d.count.Bytes += read
		e.Sha256 = hex.EncodeToString(hash.Sum(nil))
		return err
	case kindSymlink:
		target, err := os.Readlink(full)
		e.Target = encode(target)
		return err
	case kindChar, kindBlock:
		e.Device = uint64(st.Rdev)
	}
	return nil
}

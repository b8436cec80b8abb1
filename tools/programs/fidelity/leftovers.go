package main

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// kindName is an entry of which only the name counts.
const kindName = "n"

// leftovers finds the files that an engine, when it was killed, had begun beside their places: they have the name of
// one that it restores, with a number behind it.
type leftovers struct {
	target string
	// since and until are when the engine is known to have been at work, in nanoseconds: what is older or younger may be
	// anybody's.
	since, until int64
	// open are the folders that are being listed, each in the one before.
	open []listedFolder
}

type listedFolder struct {
	path string
	// names are what it will hold, true for files.
	names map[string]bool
}

// next is told every entry, in the order of a walk, and nil at the end. A folder is looked through when all of its names
// are known.
func (l *leftovers) next(e *entry) (removed int64, err error) {
	if l.open == nil {
		l.open = []listedFolder{{"", map[string]bool{}}}
	}
	for len(l.open) > 0 && (e == nil || l.open[len(l.open)-1].path != parentOf(e.Path)) {
		count, err := l.sweep(l.open[len(l.open)-1])
		removed += count
		if err != nil {
			return removed, err
		}
		l.open = l.open[:len(l.open)-1]
	}
	if e == nil || len(l.open) == 0 {
		return removed, nil
	}
	l.open[len(l.open)-1].names[path.Base(e.Path)] = e.Kind != kindFolder
	if e.Kind == kindFolder {
		l.open = append(l.open, listedFolder{e.Path, map[string]bool{}})
	}
	return removed, nil
}

func (l *leftovers) sweep(folder listedFolder) (removed int64, err error) {
	names, err := namesIn(filepath.Join(l.target, folder.path))
	if err != nil {
		return 0, nil
	}
	for _, name := range names {
		full := filepath.Join(l.target, folder.path, name)
		if !isNumbered(name, folder.names) || !l.isLeft(full) {
			continue
		}
		if err := writableFolder(full, func() error { return os.Remove(full) }); err != nil {
			return removed, err
		}
		removed++
	}
	return removed, nil
}

// fewestDigits of a random number of 32 bits: it has hardly ever fewer, and people's numbers have hardly ever as many.
const fewestDigits, mostDigits = 7, 10

// isNumbered tells a name that is not restored itself, but a file's that is, with such a number behind it.
func isNumbered(name string, restored map[string]bool) bool {
	if _, itself := restored[name]; itself {
		return false
	}
	for end := len(name) - 1; end > 0 && len(name)-end <= mostDigits && strings.ContainsRune("0123456789", rune(name[end])); end-- {
		if len(name)-end >= fewestDigits && restored[name[:end]] {
			return true
		}
	}
	return false
}

// isLeft tells a file as the engine begins it: private, of this user, and made while the engine was at work. Where the
// file system does not say when a file was made, it stays.
func (l *leftovers) isLeft(full string) bool {
	var st unix.Statx_t
	if unix.Statx(unix.AT_FDCWD, full, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_BASIC_STATS|unix.STATX_BTIME, &st) != nil {
		return false
	}
	made := st.Btime.Sec*1e9 + int64(st.Btime.Nsec)
	return st.Mask&unix.STATX_BTIME != 0 && made >= l.since && made <= l.until &&
		st.Mode == unix.S_IFREG|0o600 && st.Nlink == 1 && int(st.Uid) == os.Geteuid()
}

package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// survey counts what was seen; what the engine does not keep is counted by kind.
type survey struct {
	Files   int64 `json:"files"`
	Folders int64 `json:"folders"`
	Bytes   int64 `json:"bytes"`
	// LongNames are those of Names that the engine keeps in a form which is too long for a name.
	LongNames counted `json:"longNames"`
	// Reserved are paths that the engine must not see, and none of Names.
	Reserved counted `json:"reserved"`
	// Rules keep it from seeing them, as patterns do in .gitignore: at most one more than it is given.
	Rules []string `json:"rules"`
	// Unreadable are those of Reserved that cannot be read, which the engine does not report.
	Unreadable counted `json:"unreadable"`
	// Excluded are what files in the data itself leave out: a folder counts once, whatever is in it.
	Excluded counted `json:"excluded"`
	// HardLinks are names beyond the first of a file.
	HardLinks counted `json:"hardLinks"`
	// LinkedSymlinks are those of them that are symlinks.
	LinkedSymlinks counted      `json:"linkedSymlinks"`
	Xattrs         counted      `json:"xattrs"`
	Acls           counted      `json:"acls"`
	Capabilities   counted      `json:"capabilities"`
	Fifos          counted      `json:"fifos"`
	Devices        counted      `json:"devices"`
	Sockets        counted      `json:"sockets"`
	Names          counted      `json:"names"`
	Times          counted      `json:"times"`
	Trusted        bool         `json:"trusted"`
	Owners         []ownerCount `json:"owners"`
	Digest         string       `json:"digest"`
}

type ownerCount struct {
	Uid   uint32 `json:"uid"`
	Gid   uint32 `json:"gid"`
	Count int64  `json:"count"`
}

const maxExamples = 5

type counted struct {
	Count    int64    `json:"count"`
	Examples []string `json:"examples"`
}

func (c *counted) add(path string) {
	c.Count++
	if len(c.Examples) < maxExamples {
		c.Examples = append(c.Examples, strings.ToValidUTF8(path, "\uFFFD"))
	}
}

type inode struct{ device, number uint64 }

type scanner struct {
	root   string
	out    *bufio.Writer
	seen   survey
	owners map[[2]uint32]int64
	links  map[inode]int
	// sparing records only what an engine does not keep that keeps nearly everything: times beyond its range, that
	// symlinks are linked, and the root, which it keeps but does not put back. Other folders are recorded when there is
	// something to say of what they hold.
	sparing bool
	unsaid  []*entry
	ignored *ignored
}

// The engine keeps times as 64-bit nanoseconds since 1970.
const earliestKept, latestKept = -9223372036, 9223372036

// longestName is how many bytes a name may have.
const longestName = 255

// scan records all that an engine may not keep, but for what leftOut names.
func scan(root string, stdout io.Writer, leftOut ignored) (*survey, error) {
	return walk(root, stdout, &scanner{ignored: &leftOut})
}

// remains records only what hardly any engine keeps.
func remains(root string, stdout io.Writer) (*survey, error) {
	return walk(root, stdout, &scanner{sparing: true, ignored: &ignored{}})
}

func walk(root string, stdout io.Writer, s *scanner) (*survey, error) {
	// The walk goes from folder to folder.
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	digest := sha256.New()
	s.root = root
	s.out = bufio.NewWriterSize(io.MultiWriter(stdout, digest), 1<<18)
	s.owners = map[[2]uint32]int64{}
	s.links = map[inode]int{}
	if err := s.write(header{Holdfast: formatVersion}); err != nil {
		return nil, err
	}
	top := look(root)
	if err := s.entry("", &top, nil, rules{}.with("", s.ignored.Paths, false), false); err != nil {
		return nil, err
	}
	if err := s.write(ending{End: true}); err != nil {
		return nil, err
	}
	if err := s.out.Flush(); err != nil {
		return nil, err
	}
	s.seen.Digest = hex.EncodeToString(digest.Sum(nil))
	s.seen.Owners = sorted(s.owners)
	return &s.seen, nil
}

// sorted has the most frequent owners first.
func sorted(owners map[[2]uint32]int64) []ownerCount {
	var counts []ownerCount
	for owner, count := range owners {
		counts = append(counts, ownerCount{owner[0], owner[1], count})
	}
	slices.SortFunc(counts, func(a, b ownerCount) int {
		if a.Count != b.Count {
			return int(max(-1, min(1, b.Count-a.Count)))
		}
		return int(int64(a.Uid) - int64(b.Uid))
	})
	return counts
}

func (s *scanner) write(value any) error {
	line, err := json.Marshal(value)
	if err != nil {
		return err
	}
	_, err = s.out.Write(append(line, '\n'))
	return err
}

// entry records one path and, for a folder, all below it. What vanishes meanwhile, or cannot be read, is left out:
// the engine meets it too, and reports it, but for what is reserved.
func (s *scanner) entry(path string, found *sight, parent *unix.Stat_t, above rules, reserved bool) error {
	if found.err != nil {
		if path == "" {
			return &os.PathError{Op: "read", Path: s.root, Err: found.err}
		}
		s.unread(path, found.err, reserved)
		return nil
	}
	st := &found.st
	if !reserved && isPlain(path, found, parent) {
		s.owners[[2]uint32{st.Uid, st.Gid}]++
		s.seen.Files++
		s.seen.Bytes += st.Size
		return nil
	}
	full := s.full(path)
	e, say := s.describe(path, full, found, parent, reserved)
	if s.sparing {
		if err := s.sparingly(e, st); err != nil {
			return err
		}
	} else if say {
		if e.hasContent() {
			if err := s.file(e, full); err != nil {
				return err
			}
		} else if err := s.write(encoded(e)); err != nil {
			return err
		}
	}
	if e.Kind != kindFolder {
		return nil
	}
	defer s.leave(e)
	names, err := namesIn(full)
	if err != nil {
		if path == "" {
			return err
		}
		s.unread(path, err, reserved)
		return nil
	}
	within, seen := s.ignored.in(full, path, above)
	if !seen {
		s.seen.Excluded.add(path)
		return nil
	}
	unseen := s.unseenOf(path, names, reserved)
	for some := range slices.Chunk(names, batch) {
		sights := lookIn(full, some)
		for i, name := range some {
			child := name
			if path != "" {
				child = path + "/" + name
			}
			if s.leavesOut(child, &sights[i], st, within) {
				continue
			}
			if err := s.entry(child, &sights[i], st, within, reserved || unseen[name]); err != nil {
				return err
			}
		}
	}
	return nil
}

// unread counts what is reserved and cannot be read. What is gone by then is no loss.
func (s *scanner) unread(path string, err error, reserved bool) {
	if reserved && !errors.Is(err, os.ErrNotExist) {
		s.seen.Unreadable.add(path)
	}
}

func (s *scanner) leavesOut(path string, found *sight, parent *unix.Stat_t, within rules) bool {
	if s.ignored.OneFileSystem && found.err == nil && found.st.Dev != parent.Dev {
		return true
	}
	isFolder := found.err == nil && found.st.Mode&unix.S_IFMT == unix.S_IFDIR
	out, byData := within.leaveOut("/"+path, isFolder)
	if out && byData {
		s.seen.Excluded.add(path)
	}
	return out
}

// isPlain tells a file of which there is nothing to say, as of nearly all.
func isPlain(path string, found *sight, parent *unix.Stat_t) bool {
	st := &found.st
	return st.Mode&unix.S_IFMT == unix.S_IFREG && st.Nlink <= 1 && found.xattrs == nil &&
		parent != nil && st.Uid == parent.Uid && st.Gid == parent.Gid && !outOfRange(st) && !isOdd(path)
}

// sparingly records an entry, after the folders that lead to it, when it holds what even such an engine loses.
func (s *scanner) sparingly(e *entry, st *unix.Stat_t) error {
	e.Odd = false
	if e.Kind == kindFolder {
		s.unsaid = append(s.unsaid, e)
	}
	linked := e.Kind == kindSymlink && e.Link != 0
	if e.Kind == kindSocket || !(linked || outOfRange(st) || e.Path == "") {
		return nil
	}
	if e.Kind == kindFile {
		e.Link = 0
	}
	for _, folder := range s.unsaid {
		if err := s.write(encoded(folder)); err != nil {
			return err
		}
	}
	s.unsaid = nil
	if e.Kind == kindFolder {
		return nil
	}
	return s.write(encoded(e))
}

// leave forgets a folder of which there was nothing to say.
func (s *scanner) leave(e *entry) {
	if last := len(s.unsaid) - 1; last >= 0 && s.unsaid[last] == e {
		s.unsaid = s.unsaid[:last]
	}
}

func outOfRange(st *unix.Stat_t) bool {
	return st.Mtim.Sec <= earliestKept || st.Mtim.Sec >= latestKept
}

func (s *scanner) full(path string) string {
	if path == "" {
		return s.root
	}
	return s.root + "/" + path
}

// encoded is the entry with its bytes in a form that JSON carries.
func encoded(e *entry) *entry {
	copied := *e
	copied.Path, copied.Target = encode(e.Path), encode(e.Target)
	return &copied
}

// describe says what is to be recorded, and whether that is anything at all.
func (s *scanner) describe(path, full string, found *sight, parent *unix.Stat_t, reserved bool) (*entry, bool) {
	st := &found.st
	e := &entry{Path: path, Kind: kindOf(st.Mode), Odd: reserved || isOdd(path), reserved: reserved}
	owner := [2]uint32{st.Uid, st.Gid}
	s.owners[owner]++
	say := e.Odd || e.Kind != kindFile
	if reserved {
		s.seen.Reserved.add(path)
	} else if e.Odd {
		s.seen.Names.add(path)
		if len(mangled(filepath.Base(path))) > longestName {
			s.seen.LongNames.add(path)
		}
	}
	if parent == nil || owner != [2]uint32{parent.Uid, parent.Gid} {
		e.Owner = &owner
		say = true
	}
	unusual := outOfRange(st)
	if unusual {
		s.seen.Times.add(path)
		say = true
	}
	if e.Odd || unusual || e.Kind != kindFile {
		e.Time = &[2]int64{st.Mtim.Sec, st.Mtim.Nsec}
	}
	mode := st.Mode & 0o7777
	linked := e.Kind != kindFolder && st.Nlink > 1
	// The engine does not finish the folders that lead to a name which it cannot write.
	unfinished := e.Kind == kindFolder && !s.sparing
	if e.Odd || parent == nil || unfinished || (linked && mode == placeholderMode) ||
		(e.Kind != kindFile && e.Kind != kindFolder && e.Kind != kindSymlink) {
		e.Mode = &mode
	}
	if e.Xattrs = found.xattrs; e.Xattrs != nil {
		s.countXattrs(e)
		say = true
	}
	if linked {
		s.link(e, st)
		say = true
	}
	switch e.Kind {
	case kindFolder:
		s.seen.Folders++
	case kindFile:
		s.seen.Files++
		s.seen.Bytes += st.Size
		if e.Odd {
			e.Size = st.Size
		}
	case kindSymlink:
		e.Target, _ = os.Readlink(full)
	case kindFifo:
		s.seen.Fifos.add(path)
	case kindChar, kindBlock:
		e.Device = uint64(st.Rdev)
		s.seen.Devices.add(path)
	case kindSocket:
		s.seen.Sockets.add(path)
		say = false
	}
	return e, say
}

func (s *scanner) link(e *entry, st *unix.Stat_t) {
	key := inode{uint64(st.Dev), st.Ino}
	number, known := s.links[key]
	if !known {
		number = len(s.links) + 1
		s.links[key] = number
	} else {
		s.seen.HardLinks.add(e.Path)
		if e.Kind == kindSymlink {
			s.seen.LinkedSymlinks.add(e.Path)
		}
	}
	e.Link = number
	e.Size = st.Size
	e.Time = &[2]int64{st.Mtim.Sec, st.Mtim.Nsec}
}

func (s *scanner) countXattrs(e *entry) {
	for name := range e.Xattrs {
		switch {
		case strings.HasPrefix(name, "system.posix_acl_"):
			s.seen.Acls.add(e.Path)
		case name == "security.capability":
			s.seen.Capabilities.add(e.Path)
		default:
			s.seen.Xattrs.add(e.Path)
			s.seen.Trusted = s.seen.Trusted || strings.HasPrefix(name, "trusted.") || strings.HasPrefix(name, "security.")
		}
	}
}

func kindOf(mode uint32) string {
	switch mode & unix.S_IFMT {
	case unix.S_IFDIR:
		return kindFolder
	case unix.S_IFLNK:
		return kindSymlink
	case unix.S_IFIFO:
		return kindFifo
	case unix.S_IFCHR:
		return kindChar
	case unix.S_IFBLK:
		return kindBlock
	case unix.S_IFSOCK:
		return kindSocket
	}
	return kindFile
}

// file writes the line of an odd file and its content, holes left out.
func (s *scanner) file(e *entry, full string) error {
	f, err := os.Open(full)
	if err != nil {
		s.unread(e.Path, err, e.reserved)
		return nil
	}
	defer f.Close()
	if err := s.write(encoded(e)); err != nil {
		return err
	}
	fd := int(f.Fd())
	for at := int64(0); at < e.Size; {
		start, err := unix.Seek(fd, at, unix.SEEK_DATA)
		if errors.Is(err, unix.ENXIO) {
			break
		}
		end := e.Size
		if err != nil {
			start = at
		} else if hole, err := unix.Seek(fd, start, unix.SEEK_HOLE); err == nil {
			end = min(hole, e.Size)
		}
		if start >= end {
			break
		}
		if err := s.write(piece{At: start, Length: end - start}); err != nil {
			return err
		}
		if err := copyExactly(s.out, io.NewSectionReader(f, start, end-start), end-start); err != nil {
			return err
		}
		at = end
	}
	return s.write(piece{})
}

// copyExactly fills up with zeros when the file became shorter meanwhile: the length was announced already.
func copyExactly(out io.Writer, in io.Reader, length int64) error {
	copied, err := io.Copy(out, in)
	if err != nil {
		return err
	}
	_, err = out.Write(make([]byte, length-copied))
	return err
}

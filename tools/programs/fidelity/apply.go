package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

type applyMode struct {
	// SkipOwners leaves everything to whoever restores.
	SkipOwners bool `json:"skipOwners"`
	// CountOwners walks the target and counts what has another owner than recorded.
	CountOwners bool `json:"countOwners"`
}

type applied struct {
	Linked int64 `json:"linked"`
	// Missing are placeholders whose content the engine did not restore under any other name.
	Missing      []string `json:"missing"`
	Owners       counted  `json:"owners"`
	HardLinks    counted  `json:"hardLinks"`
	Xattrs       counted  `json:"xattrs"`
	Acls         counted  `json:"acls"`
	Capabilities counted  `json:"capabilities"`
	Fifos        counted  `json:"fifos"`
	Devices      counted  `json:"devices"`
	Times        counted  `json:"times"`
	Modes        counted  `json:"modes"`
}

type owner = [2]uint32

type applier struct {
	target, prefix string
	mode           applyMode
	result         applied
	// owners are the folders' own, and those of other entries that differ from their folder's.
	owners map[string]owner
	// sound are the folders that are really there, and no symlinks.
	sound   map[string]bool
	cleared map[string]bool
	first   map[int]string
	waiting map[int]*entry
	// folders get their attributes last: whatever happens inside them changes their times.
	folders []*entry
}

func apply(target, prefix string, mode applyMode, stdin io.Reader) (*applied, error) {
	reader, err := newRecordReader(stdin)
	if err != nil {
		return nil, err
	}
	a := &applier{
		target: target, prefix: prefix, mode: mode,
		owners: map[string]owner{}, sound: map[string]bool{}, cleared: map[string]bool{},
		first: map[int]string{}, waiting: map[int]*entry{},
	}
	a.result.Missing = []string{}
	for {
		e, err := reader.next()
		if err != nil {
			return nil, err
		}
		if e == nil {
			break
		}
		if err := a.entry(e, reader); err != nil {
			return nil, fmt.Errorf("%q: %w", e.Path, err)
		}
	}
	for _, e := range a.waiting {
		relative, _ := within(prefix, e.Path)
		a.result.Missing = append(a.result.Missing, relative)
	}
	slices.Sort(a.result.Missing)
	for _, e := range slices.Backward(a.folders) {
		if err := a.folder(e); err != nil {
			return nil, fmt.Errorf("%q: %w", e.Path, err)
		}
	}
	if mode.CountOwners {
		a.countOwners()
	}
	return &a.result, nil
}

func (a *applier) full(e *entry) string {
	relative, _ := within(a.prefix, e.Path)
	return filepath.Join(a.target, relative)
}

func parentOf(name string) string {
	if folder := path.Dir(name); folder != "." {
		return folder
	}
	return ""
}

func (a *applier) entry(e *entry, reader *recordReader) error {
	if e.Owner != nil {
		a.owners[e.Path] = *e.Owner
	} else if e.Kind == kindFolder {
		a.owners[e.Path] = a.owners[parentOf(e.Path)]
	}
	_, inside := within(a.prefix, e.Path)
	if !inside || (e.Path != a.prefix && !a.sound[parentOf(e.Path)]) {
		if e.hasContent() {
			return reader.skipContent()
		}
		return nil
	}
	if e.Odd && e.Path != a.prefix {
		if err := a.clear(e); err != nil {
			return err
		}
	}
	full := a.full(e)
	if e.Kind == kindFolder {
		if e.Odd {
			if err := a.oddFolder(e, full); err != nil {
				return err
			}
		}
		var st unix.Stat_t
		if unix.Lstat(full, &st) == nil && kindOf(st.Mode) == kindFolder {
			a.sound[e.Path] = true
			a.folders = append(a.folders, e)
		}
		return nil
	}
	if e.Kind == kindFile && e.Odd {
		if err := a.oddFile(e, full, reader); err != nil {
			return err
		}
	} else if err := a.node(e, full); err != nil {
		return err
	}
	if linked, err := a.link(e, full); linked || err != nil {
		return err
	}
	return a.attributes(e, full)
}

// oddFolder makes a folder of which the engine knows nothing, also where something else is.
func (a *applier) oddFolder(e *entry, full string) error {
	var st unix.Stat_t
	if e.Path != a.prefix && unix.Lstat(full, &st) == nil && kindOf(st.Mode) != kindFolder {
		if err := remove(full); err != nil {
			return err
		}
	}
	err := writableFolder(full, func() error { return os.Mkdir(full, 0o700) })
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	return err
}

// clear removes what the engine restored under a changed name, once for each such name.
func (a *applier) clear(e *entry) error {
	if !isOdd(e.Path) || isOdd(parentOf(e.Path)) && parentOf(e.Path) != a.prefix {
		return nil
	}
	name := filepath.Join(filepath.Dir(a.full(e)), mangled(path.Base(e.Path)))
	if a.cleared[name] {
		return nil
	}
	a.cleared[name] = true
	err := remove(name)
	if errors.Is(err, unix.ENAMETOOLONG) {
		// The engine could not restore it either.
		return nil
	}
	return err
}

// remove makes way for something new, and returns nil where nothing is.
func remove(full string) error {
	return writableFolder(full, func() error { return removeTree(full) })
}

// oddFile writes the file beside its place first: what was there stays until it is complete.
func (a *applier) oddFile(e *entry, full string, reader *recordReader) error {
	beside := besideOf(full, ".holdfast-file")
	if err := remove(beside); err != nil {
		return err
	}
	if err := writableFolder(full, func() error { return create(beside) }); err != nil {
		return err
	}
	var st unix.Stat_t
	found := unix.Lstat(full, &st) == nil
	if err := fill(beside, e, reader, found); err != nil {
		_ = remove(beside)
		return err
	}
	if found && kindOf(st.Mode) == kindFolder {
		if err := remove(full); err != nil {
			return err
		}
	}
	return writableFolder(full, func() error { return os.Rename(beside, full) })
}

func create(full string) error {
	f, err := os.OpenFile(full, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// fill writes the content of an odd file, and, when something is to be replaced by it, to the disk.
func fill(full string, e *entry, reader *recordReader, replaces bool) error {
	f, err := os.OpenFile(full, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	err = reader.content(func(at int64, data io.Reader) error {
		if _, err := f.Seek(at, io.SeekStart); err != nil {
			return err
		}
		_, err := io.Copy(f, data)
		return err
	})
	if err != nil {
		return err
	}
	if err := f.Truncate(e.Size); err != nil || !replaces {
		return err
	}
	return f.Sync()
}

// node makes what the engine does not restore at all.
func (a *applier) node(e *entry, full string) error {
	kinds := map[string]uint32{kindFifo: unix.S_IFIFO, kindChar: unix.S_IFCHR, kindBlock: unix.S_IFBLK}
	kind, special := kinds[e.Kind]
	if !special && !(e.Kind == kindSymlink && (e.Odd || pointsElsewhere(full, e.Target))) {
		return nil
	}
	e.created = true
	if err := remove(full); err != nil {
		return err
	}
	if !special {
		return writableFolder(full, func() error { return os.Symlink(e.Target, full) })
	}
	err := writableFolder(full, func() error { return unix.Mknod(full, kind|0o600, int(e.Device)) })
	if err != nil && refused(err) {
		if e.Kind == kindFifo {
			a.result.Fifos.add(e.Path)
		} else {
			a.result.Devices.add(e.Path)
		}
		return nil
	}
	return err
}

// pointsElsewhere tells a symlink that was there before, and that the engine left alone.
func pointsElsewhere(full, wanted string) bool {
	target, err := os.Readlink(full)
	return err == nil && target != wanted
}

// link makes the entry a further name of one that is there. What was changed between the record and the backup is
// left alone: it is no longer the same file.
func (a *applier) link(e *entry, full string) (bool, error) {
	if e.Link == 0 {
		return false, nil
	}
	var st unix.Stat_t
	if unix.Lstat(full, &st) != nil {
		return false, nil
	}
	if e.Kind == kindFile && isPlaceholder(&st, e) {
		if first, known := a.first[e.Link]; known {
			return true, a.replace(first, full)
		}
		if a.waiting[e.Link] == nil {
			a.waiting[e.Link] = e
		}
		return true, nil
	}
	if kindOf(st.Mode) != e.Kind || !a.unchanged(e, full, &st) {
		a.result.HardLinks.add(e.Path)
		return false, nil
	}
	first, known := a.first[e.Link]
	if known {
		return true, a.replace(first, full)
	}
	a.first[e.Link] = full
	if held := a.waiting[e.Link]; held != nil {
		delete(a.waiting, e.Link)
		return false, a.replace(full, a.full(held))
	}
	return false, nil
}

func (a *applier) unchanged(e *entry, full string, st *unix.Stat_t) bool {
	if e.Kind == kindSymlink {
		target, err := os.Readlink(full)
		return err == nil && target == e.Target
	}
	if e.Kind != kindFile || e.Odd {
		return true
	}
	outside := e.Time[0] <= earliestKept || e.Time[0] >= latestKept
	return st.Size == e.Size && (outside || st.Mtim.Sec == e.Time[0])
}

func (a *applier) replace(first, full string) error {
	beside := besideOf(full, ".holdfast-link")
	err := writableFolder(full, func() error {
		err := os.Link(first, beside)
		if errors.Is(err, os.ErrExist) {
			// Somebody was killed in between.
			if err = os.Remove(beside); err == nil {
				err = os.Link(first, beside)
			}
		}
		if err != nil {
			return err
		}
		return os.Rename(beside, full)
	})
	if err != nil {
		return err
	}
	// Renaming onto another name of the same file does nothing, and leaves both.
	if err := remove(beside); err != nil {
		return err
	}
	a.result.Linked++
	return nil
}

// besideOf is a place in the same folder, of a name that is not too long.
func besideOf(full, suffix string) string {
	if len(path.Base(full)) > 200 {
		return filepath.Dir(full) + "/" + suffix
	}
	return full + suffix
}

func (a *applier) ownerOf(e *entry) owner {
	if e.Owner != nil {
		return *e.Owner
	}
	return a.owners[parentOf(e.Path)]
}

func (a *applier) attributes(e *entry, full string) error {
	var st unix.Stat_t
	if unix.Lstat(full, &st) != nil || kindOf(st.Mode) != e.Kind {
		return nil
	}
	if (e.Odd || e.created) && !a.mode.SkipOwners {
		wanted := a.ownerOf(e)
		if err := unix.Lchown(full, int(wanted[0]), int(wanted[1])); err != nil && !refused(err) {
			return err
		}
	}
	if e.Mode != nil && e.Kind != kindSymlink && unix.Chmod(full, *e.Mode) != nil {
		if !is(full, func(st *unix.Stat_t) bool { return st.Mode&0o7777 == *e.Mode }) {
			a.result.Modes.add(e.Path)
		}
	}
	a.xattrs(e, full)
	if e.Time != nil && setTime(full, *e.Time) != nil {
		if !is(full, func(st *unix.Stat_t) bool { return [2]int64{st.Mtim.Sec, st.Mtim.Nsec} == *e.Time }) {
			a.result.Times.add(e.Path)
		}
	}
	return nil
}

// is tells whether a path is already what it could not be made: then nothing is lost.
func is(full string, wanted func(*unix.Stat_t) bool) bool {
	var st unix.Stat_t
	return unix.Lstat(full, &st) == nil && wanted(&st)
}

func (a *applier) folder(e *entry) error {
	full := a.full(e)
	a.dropXattrs(e, full)
	if e.Mode != nil && !e.Odd && !a.mode.SkipOwners {
		wanted := a.ownerOf(e)
		if err := unix.Lchown(full, int(wanted[0]), int(wanted[1])); err != nil && !refused(err) {
			return err
		}
	}
	return a.attributes(e, full)
}

// dropXattrs removes from a folder that was there before what the record does not hold.
func (a *applier) dropXattrs(e *entry, full string) {
	for name := range readXattrs(full) {
		if _, wanted := e.Xattrs[name]; !wanted {
			if raw, err := decode(name); err == nil {
				_ = unix.Lremovexattr(full, raw)
			}
		}
	}
}

func (a *applier) xattrs(e *entry, full string) {
	for name, value := range e.Xattrs {
		raw, err := decode(name)
		if err == nil {
			err = writable(full, func() error { return unix.Lsetxattr(full, raw, value, 0) })
		}
		if err == nil {
			continue
		}
		switch {
		case strings.HasPrefix(name, "system.posix_acl_"):
			a.result.Acls.add(e.Path)
		case name == "security.capability":
			a.result.Capabilities.add(e.Path)
		default:
			a.result.Xattrs.add(e.Path)
		}
	}
}

func writableFolder(full string, do func() error) error {
	return writable(filepath.Dir(full), do)
}

// writable lends the owner every right to a folder or file, where that is all that is missing.
func writable(full string, do func() error) error {
	err := do()
	if !errors.Is(err, unix.EACCES) {
		return err
	}
	var st unix.Stat_t
	if unix.Lstat(full, &st) != nil || kindOf(st.Mode) == kindSymlink || unix.Chmod(full, st.Mode&0o7777|0o700) != nil {
		return err
	}
	err = do()
	return errors.Join(err, unix.Chmod(full, st.Mode&0o7777))
}

func (a *applier) countOwners() {
	for folder := range a.sound {
		relative, _ := within(a.prefix, folder)
		full := filepath.Join(a.target, relative)
		names, err := namesIn(full)
		if err != nil {
			continue
		}
		a.countOwner(folder, full, a.owners[folder])
		for _, name := range names {
			child := path.Join(folder, name)
			if a.sound[child] || full == filepath.Clean(a.target) && isMark(name) {
				continue
			}
			wanted, own := a.owners[child]
			if !own {
				wanted = a.owners[folder]
			}
			a.countOwner(child, filepath.Join(full, name), wanted)
		}
	}
	slices.Sort(a.result.Owners.Examples)
}

func (a *applier) countOwner(name, full string, wanted owner) {
	var st unix.Stat_t
	if unix.Lstat(full, &st) == nil && (owner{st.Uid, st.Gid}) != wanted {
		a.result.Owners.add(name)
	}
}

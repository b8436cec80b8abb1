package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// unfinishedMark is in a target for as long as a restore into it has not ended; whoever restores leaves it.
const unfinishedMark = ".holdfast-unfinished"

// fenceMark begins the names of marks by which restores keep others away.
const fenceMark = ".holdfast-restore-"

// isMark tells what is in a target's root for as long as a restore works, and is nobody's file.
func isMark(name string) bool {
	return name == unfinishedMark || strings.HasPrefix(name, fenceMark) || strings.HasPrefix(name, probeMark)
}

// empty removes everything but the file system's own folder and marks.
func empty(target string) error {
	names, err := namesIn(target)
	if err != nil {
		return err
	}
	for _, name := range names {
		if name == "lost+found" || isMark(name) && !strings.HasPrefix(name, probeMark) {
			continue
		}
		full := filepath.Join(target, name)
		if err := writableFolder(full, func() error { return removeTree(full) }); err != nil {
			return err
		}
	}
	return nil
}

// removeTree removes also what is in folders without the right to write, as they may have been restored.
func removeTree(full string) error {
	err := os.RemoveAll(full)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	_ = filepath.WalkDir(full, func(path string, found fs.DirEntry, _ error) error {
		if found != nil && found.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(full)
}

// settle writes everything to the disk: whoever is told that a restore has ended may lose power the moment after. Then
// the mark goes, and no sooner: without it, a file's size and time are taken to speak for its content. The folder's times
// stay.
func settle(target string) error {
	if err := syncAll(target); err != nil {
		return err
	}
	var st unix.Stat_t
	if err := unix.Lstat(target, &st); err != nil {
		return err
	}
	mark := filepath.Join(target, unfinishedMark)
	err := writableFolder(mark, func() error { return os.Remove(mark) })
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	// A folder that is somebody else's keeps the time at which the mark went.
	_ = setTime(target, [2]int64{st.Mtim.Sec, st.Mtim.Nsec})
	return syncAll(target)
}

func syncAll(target string) error {
	return writable(target, func() error {
		folder, err := os.Open(target)
		if err != nil {
			return err
		}
		defer folder.Close()
		return unix.Syncfs(int(folder.Fd()))
	})
}

package main

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// kept tells which extended attributes belong to the data: all but what the machine puts there by itself, which are the
// labels of its security modules, the ACL that NFS makes of every file's mode, and where Lustre keeps a file.
func kept(name string) bool {
	switch name {
	case "security.selinux", "security.sehash", "security.ima", "security.evm", "security.apparmor":
		return false
	}
	return !slices.ContainsFunc(
		[]string{"security.SMACK64", "security.bpf.", "system.nfs4_", "lustre."},
		func(prefix string) bool { return strings.HasPrefix(name, prefix) },
	)
}

// readXattrs is empty where the file system has none, or the file is gone.
func readXattrs(path string) map[string][]byte {
	names := readAll(func(buffer []byte) (int, error) { return unix.Llistxattr(path, buffer) })
	var found map[string][]byte
	for _, name := range bytes.Split(names, []byte{0}) {
		if len(name) == 0 || !kept(string(name)) {
			continue
		}
		value := readAll(func(buffer []byte) (int, error) { return unix.Lgetxattr(path, string(name), buffer) })
		if value == nil {
			continue
		}
		if found == nil {
			found = map[string][]byte{}
		}
		found[encode(string(name))] = value
	}
	return found
}

// Names and values are at most 64 KiB, and hardly ever more than a few bytes. The kernel makes itself a buffer of the
// size that it is offered.
const mostOfAttribute, usualOfAttribute = 1 << 16, 256

// readAll is nil when the call fails.
func readAll(call func([]byte) (int, error)) []byte {
	var usual [usualOfAttribute]byte
	size, err := call(usual[:])
	if err == nil {
		return append([]byte{}, usual[:size]...)
	}
	if !errors.Is(err, unix.ERANGE) {
		return nil
	}
	all := make([]byte, mostOfAttribute)
	if size, err = call(all); err != nil {
		return nil
	}
	return slices.Clone(all[:size])
}

func setTime(path string, time [2]int64) error {
	times := []unix.Timespec{{Nsec: unix.UTIME_OMIT}, {Sec: time[0], Nsec: time[1]}}
	return unix.UtimesNanoAt(unix.AT_FDCWD, path, times, unix.AT_SYMLINK_NOFOLLOW)
}

func refused(err error) bool {
	return errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EINVAL)
}

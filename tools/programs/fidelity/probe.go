package main

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// needs is what a restore will have to set.
type needs struct {
	Owners [][2]uint32 `json:"owners"`
	// Xattrs are among user, trusted, acl and capability.
	Xattrs []string `json:"xattrs"`
}

type refusals struct {
	// Unwritable says why nothing can be written at all.
	Unwritable string         `json:"unwritable,omitempty"`
	Owners     [][2]uint32    `json:"owners"`
	Xattrs     []refusedXattr `json:"xattrs"`
}

type refusedXattr struct {
	Kind   string `json:"kind"`
	Reason string `json:"reason"`
}

// One valid value of each kind: a capability to bind low ports, and an ACL with one named user.
var samples = map[string]struct {
	name  string
	value []byte
}{
	"user":       {"user.holdfast.probe", []byte("1")},
	"trusted":    {"trusted.holdfast.probe", []byte("1")},
	"capability": {"security.capability", []byte{0, 0, 0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
	"acl": {"system.posix_acl_access", []byte{
		2, 0, 0, 0,
		1, 0, 6, 0, 255, 255, 255, 255,
		2, 0, 4, 0, 1, 0, 0, 0,
		4, 0, 4, 0, 255, 255, 255, 255,
		16, 0, 4, 0, 255, 255, 255, 255,
		32, 0, 0, 0, 255, 255, 255, 255,
	}},
}

// probeMark begins the names of files that it tries needs on.
const probeMark = ".holdfast-probe-"

// probe tries each need on an empty file of its own in the target, and removes it.
func probe(target string, wanted needs) (*refusals, error) {
	found := &refusals{Owners: [][2]uint32{}, Xattrs: []refusedXattr{}}
	// One that a kill left, under whatever name, is in nobody's way.
	f, err := os.CreateTemp(target, probeMark)
	if err != nil {
		found.Unwritable = err.Error()
		return found, nil
	}
	path := f.Name()
	defer os.Remove(path)
	defer f.Close()
	for _, kind := range wanted.Xattrs {
		sample, known := samples[kind]
		if !known {
			return nil, fmt.Errorf("unknown kind of attribute: %q", kind)
		}
		if err := unix.Lsetxattr(path, sample.name, sample.value, 0); err != nil {
			found.Xattrs = append(found.Xattrs, refusedXattr{kind, err.Error()})
		}
	}
	for _, owner := range wanted.Owners {
		if unix.Lchown(path, int(owner[0]), int(owner[1])) != nil {
			found.Owners = append(found.Owners, owner)
		}
	}
	return found, nil
}

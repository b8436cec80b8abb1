package main

import (
	"runtime"
	"sync"

	"golang.org/x/sys/unix"
)

// sight is what the file system says of one path.
type sight struct {
	st     unix.Stat_t
	xattrs map[string][]byte
	err    error
}

func look(full string) (found sight) {
	if found.err = unix.Lstat(full, &found.st); found.err == nil {
		found.xattrs = readXattrs(full)
	}
	return found
}

// atOnce is how many names are worth a goroutine.
const atOnce = 32

// lookAll looks at what a folder holds with all processors: a walk through many files is all waiting for the kernel.
func lookAll(folder string, names []string) []sight {
	found := make([]sight, len(names))
	var done sync.WaitGroup
	share := max(atOnce, (len(names)+runtime.NumCPU()-1)/runtime.NumCPU())
	for from := 0; from < len(names); from += share {
		part := names[from:min(from+share, len(names))]
		into := found[from:]
		done.Go(func() {
			for i, name := range part {
				into[i] = look(folder + "/" + name)
			}
		})
	}
	done.Wait()
	return found
}

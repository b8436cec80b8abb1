package main

import (
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// sight is what the file system says of one path.
type sight struct {
	st     unix.Stat_t
	xattrs map[string][]byte
	err    error
}

func look(path string) (found sight) {
	if found.err = unix.Lstat(path, &found.st); found.err == nil {
		found.xattrs = readXattrs(path)
	}
	return found
}

// batch is how many names are looked at before any is recorded: a folder may hold millions.
const batch = 4096

// lookIn looks at these names in a folder. It leaves this process there: with a long path the kernel would walk
// through all of it at every call, which takes as long again as what is asked.
func lookIn(folder string, names []string) []sight {
	if unix.Chdir(folder) == nil {
		return lookAll("", names)
	}
	return lookAll(folder+"/", names)
}

func namesIn(folder string) ([]string, error) {
	f, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	return names, nil
}

// atOnce is how many names are worth handing to another processor.
const atOnce = 32

// lookAll looks at these names with all processors: a walk through many files is all waiting for the kernel.
func lookAll(before string, names []string) []sight {
	found := make([]sight, len(names))
	parts := (len(names) + atOnce - 1) / atOnce
	var next atomic.Int64
	var done sync.WaitGroup
	done.Add(parts)
	work := func() {
		for part := int(next.Add(1)) - 1; part < parts; part = int(next.Add(1)) - 1 {
			for i := part * atOnce; i < min((part+1)*atOnce, len(names)); i++ {
				found[i] = look(before + names[i])
			}
			done.Done()
		}
	}
	// Whoever comes too late finds nothing left to do, and is not waited for.
	for range min(parts, runtime.NumCPU()) - 1 {
		go work()
	}
	work()
	done.Wait()
	return found
}

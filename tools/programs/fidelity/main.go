// holdfast-fidelity records what a backup engine does not keep of a tree, and puts it back after a restore.
//
//	holdfast-fidelity scan ROOT IGNORED         writes the record to stdout, without what IGNORED, in JSON, leaves out
//	holdfast-fidelity remains ROOT              the same, but only what hardly any engine keeps; before, what is likely is told on stderr
//	holdfast-fidelity survey ROOT               only counts
//	holdfast-fidelity describe ROOT             everything about every entry, a line of JSON each, on stdout
//	holdfast-fidelity sample ROOT SEED          fills an empty folder with what volumes hold
//	holdfast-fidelity pipe PATH                 makes a named pipe
//	holdfast-fidelity probe TARGET NEEDS        tries what a restore will have to set; NEEDS is JSON
//	holdfast-fidelity empty TARGET              removes what an unfinished restore left, which is all there is
//	holdfast-fidelity clear TARGET SINCE UNTIL  removes what an engine would write through, out of the target or into other files, and what one left beside its files that was killed when it had worked from SINCE to UNTIL; in nanoseconds, or ""
//	holdfast-fidelity prepare TARGET PREFIX     keeps the engine from writing linked files more than once
//	holdfast-fidelity listed TARGET             after it: leaves of what was prepared only the paths that the snapshot holds
//	holdfast-fidelity apply TARGET PREFIX MODE  after the engine restored; MODE is JSON
//	holdfast-fidelity settle TARGET             a restore has ended: everything is on the disk
//
// clear, prepare, listed and apply read the record from stdin. The last line on stderr is the JSON result. PREFIX is the restored path within the record, "" for all of it.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
)

func main() {
	result, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s\n", err)
		os.Exit(1)
	}
	line, err := json.Marshal(result)
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s\n", err)
		os.Exit(1)
	}
	fmt.Fprintf(os.Stderr, "%s\n", line)
}

func run(args []string) (any, error) {
	if len(args) >= 2 {
		command, folder := args[0], args[1]
		switch {
		case command == "scan" && len(args) == 3:
			var leftOut ignored
			if err := json.Unmarshal([]byte(args[2]), &leftOut); err != nil {
				return nil, err
			}
			return scan(folder, os.Stdout, leftOut)
		case command == "remains" && len(args) == 2:
			return remains(folder, os.Stdout)
		case command == "survey" && len(args) == 2:
			return scan(folder, io.Discard, ignored{})
		case command == "describe" && len(args) == 2:
			return describeTree(folder, os.Stdout)
		case command == "sample" && len(args) == 3:
			seed, err := strconv.ParseUint(args[2], 10, 64)
			if err != nil {
				return nil, err
			}
			return sample(folder, seed)
		case command == "probe" && len(args) == 3:
			var wanted needs
			if err := json.Unmarshal([]byte(args[2]), &wanted); err != nil {
				return nil, err
			}
			return probe(folder, wanted)
		case command == "empty" && len(args) == 2:
			return struct{}{}, empty(folder)
		case command == "settle" && len(args) == 2:
			return struct{}{}, settle(folder)
		case command == "clear" && len(args) == 4:
			return clearWay(folder, args[2], args[3], os.Stdin)
		case command == "prepare" && len(args) == 3:
			return prepare(folder, args[2], os.Stdin)
		case command == "listed" && len(args) == 2:
			return keepListed(folder, os.Stdin)
		case command == "apply" && len(args) == 4:
			var mode applyMode
			if err := json.Unmarshal([]byte(args[3]), &mode); err != nil {
				return nil, err
			}
			return apply(folder, args[2], mode, os.Stdin)
		}
	}
	return nil, fmt.Errorf("usage: holdfast-fidelity scan|remains|survey|describe|sample|pipe|probe|empty|clear|prepare|listed|apply|settle FOLDER …")
}

package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/sys/unix"
)

// ignored is what the engine leaves out of a backup: nothing of it is recorded either.
type ignored struct {
	// Paths are patterns as in .gitignore, and Files the names of files that hold such for their folder.
	Paths []string `json:"paths"`
	Files []string `json:"files"`
	// CacheDirs leaves out what folders with a CACHEDIR.TAG hold.
	CacheDirs bool `json:"cacheDirs"`
	// OneFileSystem leaves out what is mounted below the root.
	OneFileSystem bool `json:"oneFileSystem"`
}

// rules of a folder, its parents' first. unclear says that one of them was not understood: then nothing is left out, and
// the record holds too much rather than too little.
type rules struct {
	list    []*pattern
	unclear bool
}

// with are the rules and those of some lines more. inData: the data itself brings them.
func (r rules) with(base string, lines []string, inData bool) rules {
	r.list = slices.Clip(r.list)
	for _, line := range lines {
		if one, ok := parsePattern(base, line); !ok {
			r.unclear = true
		} else if one != nil {
			one.inData = inData
			r.list = append(r.list, one)
		}
	}
	return r
}

// leaveOut tells whether the engine does not see this path, which begins with a slash, and whether the data itself says so.
func (r rules) leaveOut(path string, isFolder bool) (out, byData bool) {
	if r.unclear || len(r.list) == 0 {
		return false, false
	}
	text := []rune(path)
	for _, one := range r.list {
		if out == one.negated && (isFolder || !one.folders) && one.match(text) {
			out, byData = !out, one.inData
		}
	}
	return out, byData
}

// in are the rules for what a folder holds; false when the engine sees nothing of it.
func (i *ignored) in(folder, path string, above rules) (rules, bool) {
	if i.CacheDirs && isCacheDir(folder+"/CACHEDIR.TAG") {
		return above, false
	}
	base := ""
	if path != "" {
		base = "/" + path
	}
	for _, name := range i.Files {
		if text, err := readRegular(folder + "/" + name); err == nil {
			above = above.with(base, patternLines(text), true)
		} else if !os.IsNotExist(err) {
			above.unclear = true
		}
	}
	return above, true
}

func patternLines(text []byte) (found []string) {
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		if line := lines.Text(); !strings.HasPrefix(line, "#") && strings.TrimSpace(line) != "" {
			found = append(found, line)
		}
	}
	return found
}

const cacheDirSignature = "Signature: 8a477f597d28d172789f06886806bc55"

func isCacheDir(tag string) bool {
	var st unix.Stat_t
	if unix.Lstat(tag, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		return false
	}
	text, err := readRegular(tag)
	return err == nil && bytes.HasPrefix(text, []byte(cacheDirSignature))
}

// mostRules is how much of a file of rules is read.
const mostRules = 1 << 20

func readRegular(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() > mostRules {
		return nil, os.ErrInvalid
	}
	return io.ReadAll(f)
}

// pattern is a line of .gitignore as the engine reads it.
type pattern struct {
	parts            []part
	folders, negated bool
	// inData: a file in the data holds it.
	inData bool
}

// part matches one character, or any number of them.
type part struct {
	one func(rune) bool
	// star is any number within a name, stars any number across folders.
	star, stars, slash bool
}

func literal(wanted rune) part {
	return part{one: func(r rune) bool { return r == wanted }, slash: wanted == '/'}
}

func notSlash(r rune) bool { return r != '/' }

// parsePattern returns nil for a line that matches nothing, and false for one that it does not understand. base is the
// folder that the line is about, with a slash before it; "" is the root.
func parsePattern(base, line string) (*pattern, bool) {
	if len(line) > 2 && line[len(line)-2] != '\\' {
		line = strings.TrimSpace(line)
	}
	body, negated := strings.CutPrefix(strings.TrimLeftFunc(line, unicode.IsSpace), "!")
	bare := len(body) == len(line)
	rooted := strings.HasPrefix(body, "/")
	at := strings.IndexByte(body, '/')
	anywhere := at < 0 || at == len(body)-1
	body, folders := strings.CutSuffix(body, "/")
	if body == "" {
		return nil, true
	}
	p := &pattern{folders: folders, negated: negated}
	for _, r := range base {
		p.parts = append(p.parts, literal(r))
	}
	if !rooted && (base != "" || !anywhere) {
		p.parts = append(p.parts, literal('/'))
	}
	if !rooted && anywhere && line != "**" {
		p.parts = append(p.parts, part{stars: true}, literal('/'))
	}
	return p, p.parse([]rune(body), bare)
}

// parse is told whether nothing comes before the body, not even a space.
func (p *pattern) parse(body []rune, bare bool) bool {
	for i := 0; i < len(body); i++ {
		switch r := body[i]; r {
		case '\\':
			if i++; i == len(body) {
				return false
			}
			p.parts = append(p.parts, part{one: literal(body[i]).one})
		case '?':
			p.parts = append(p.parts, part{one: notSlash})
		case '*':
			first := i
			for i+1 < len(body) && body[i+1] == '*' {
				i++
			}
			atEnd := i+1 == len(body)
			begins := first == 0 && bare
			between := first > 0 && body[first-1] == '/' && (atEnd || body[i+1] == '/')
			if i > first && (begins || between) {
				p.parts = append(p.parts, part{stars: true})
			} else {
				p.parts = append(p.parts, part{star: true})
			}
		case '[':
			end := slices.Index(body[i:], ']')
			if end < 0 {
				return false
			}
			one, ok := characters(body[i+1 : i+end])
			if !ok {
				return false
			}
			p.parts = append(p.parts, part{one: one})
			i += end
		case 0:
			return false
		default:
			p.parts = append(p.parts, literal(r))
		}
	}
	return true
}

// characters reads what is between brackets: characters and ranges, without classes and without escapes.
func characters(set []rune) (func(rune) bool, bool) {
	not := len(set) > 0 && set[0] == '!'
	if not {
		set = set[1:]
	}
	if len(set) == 0 || slices.ContainsFunc(set, func(r rune) bool { return r == '\\' || r == '[' || r == 0 }) {
		return nil, false
	}
	var ranges [][2]rune
	for i := 0; i < len(set); i++ {
		if i+2 < len(set) && set[i+1] == '-' {
			ranges = append(ranges, [2]rune{set[i], set[i+2]})
			i += 2
		} else {
			ranges = append(ranges, [2]rune{set[i], set[i]})
		}
	}
	return func(r rune) bool {
		within := slices.ContainsFunc(ranges, func(one [2]rune) bool { return one[0] <= r && r <= one[1] })
		return within != not
	}, true
}

func (p *pattern) match(text []rune) bool { return matchParts(p.parts, text) == matched }

type outcome int

const (
	matched outcome = iota
	differs
	// exhausted: the text is too short, from wherever it is looked at.
	exhausted
	// beyond: a name is over that a star could have matched more of.
	beyond
)

// matchParts goes step by step as the engine does, also where that is peculiar: a star that is not at the end of a name
// may match the slash behind it.
func matchParts(parts []part, text []rune) outcome {
	at := 0
	for i, p := range parts {
		any := p.star || p.stars
		switch {
		case !any && at == len(text):
			return exhausted
		case !any:
			if !p.one(text[at]) {
				return differs
			}
		case i == len(parts)-1:
			if p.star && slices.Contains(text[at:], '/') {
				return differs
			}
			return matched
		case p.star && parts[i+1].slash:
			slash := slices.Index(text[at:], '/')
			if slash < 0 || at+slash == 0 {
				return differs
			}
			at += slash - 1
		default:
			if p.stars && i+2 < len(parts) && parts[i+1].slash && matchParts(parts[i+2:], text[at:]) == matched {
				return matched
			}
			return matchBehind(parts[i+1:], text[at:], p.star)
		}
		if at < len(text) {
			at++
		}
	}
	if at == len(text) {
		return matched
	}
	return differs
}

// matchBehind looks for the parts behind a star.
func matchBehind(parts []part, text []rune, star bool) outcome {
	for at := range text {
		found := matchParts(parts, text[at:])
		if found != differs && (star || found != beyond) {
			return found
		}
		if found == differs && star && text[max(0, at-1)] == '/' {
			return beyond
		}
	}
	return exhausted
}

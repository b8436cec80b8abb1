package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

type sampleCount struct {
	Files int64 `json:"files"`
	Bytes int64 `json:"bytes"`
	// Attributes tells whether the file system took an extended attribute.
	Attributes bool `json:"attributes"`
}

// sample fills an existing folder with what volumes hold: documents, letters, pictures, a database, links of both
// kinds, a FIFO, odd names, several owners, extended attributes. The same seed gives the same tree.
func sample(root string, seed uint64) (*sampleCount, error) {
	s := &sampler{root: root, random: rand.New(rand.NewPCG(seed, seed)), content: rand.NewChaCha8([32]byte{byte(seed)})}
	for _, step := range []func() error{s.letters, s.pictures, s.database, s.links, s.oddities, s.owners, s.attributes, s.times} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return &s.count, nil
}

type sampler struct {
	root    string
	random  *rand.Rand
	content *rand.ChaCha8
	paths   []string
	count   sampleCount
}

var words = strings.Fields("the tide takes what is not held fast and brings back nothing that was not kept")

func (s *sampler) letters() error {
	for year := range 12 {
		for number := range 100 {
			text := fmt.Sprintf("letter %d of %d\n\n", number, 2015+year)
			for range 40 + s.random.IntN(400) {
				text += words[s.random.IntN(len(words))] + " "
			}
			mode := []os.FileMode{0o644, 0o600, 0o640, 0o444}[s.random.IntN(4)]
			path := fmt.Sprintf("letters/%d/letter-%03d.txt", 2015+year, number)
			if err := s.file(path, []byte(text), mode); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *sampler) pictures() error {
	for number := range 48 {
		picture := make([]byte, 1<<20+s.random.IntN(3<<20))
		_, _ = s.content.Read(picture)
		if err := s.file(fmt.Sprintf("pictures/%04d.raw", number), picture, 0o640); err != nil {
			return err
		}
	}
	return nil
}

// database has a file of holes, as databases and disk images have.
func (s *sampler) database() error {
	if err := s.file("database/main.db", []byte("first page"), 0o600); err != nil {
		return err
	}
	file, err := os.OpenFile(s.full("database/main.db"), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	const size = 256 << 20
	for offset := int64(4 << 20); offset < size; offset += 16 << 20 {
		page := make([]byte, 8192)
		_, _ = s.content.Read(page)
		if _, err := file.WriteAt(page, offset); err != nil {
			return err
		}
	}
	s.count.Bytes += size
	return file.Truncate(size)
}

func (s *sampler) links() error {
	if err := s.folder("album"); err != nil {
		return err
	}
	for number := range 8 {
		path := fmt.Sprintf("album/%d.raw", number)
		if err := os.Link(s.full(fmt.Sprintf("pictures/%04d.raw", number*5)), s.full(path)); err != nil {
			return err
		}
	}
	for path, target := range map[string]string{"newest": "letters/2026", "album/gone": "../nowhere", "album/root": "/etc/hostname"} {
		if err := os.Symlink(target, s.full(path)); err != nil {
			return err
		}
		s.paths = append(s.paths, path)
	}
	return nil
}

func (s *sampler) oddities() error {
	for _, name := range []string{"Ünïcödé ☕", "two\nlines", "caf\xe9", "-rf", " spaces ", strings.Repeat("long", 60)} {
		if err := s.file("oddities/"+name, []byte(name), 0o644); err != nil {
			return err
		}
	}
	if err := s.file("oddities/CACHEDIR.TAG", []byte("Signature: 8a477f597d28d172789f06886806bc55"), 0o644); err != nil {
		return err
	}
	if err := s.file("oddities/.kopiaignore", []byte("*\n"), 0o644); err != nil {
		return err
	}
	if err := s.folder("oddities/empty"); err != nil {
		return err
	}
	s.paths = append(s.paths, "oddities/pipe")
	return unix.Mkfifo(s.full("oddities/pipe"), 0o620)
}

// attributes are left out where the file system has none.
func (s *sampler) attributes() error {
	s.count.Attributes = true
	for _, path := range []string{"letters/2020/letter-001.txt", "pictures", "database/main.db"} {
		err := unix.Lsetxattr(s.full(path), "user.holdfast.sample", []byte("kept\x00with "+path), 0)
		if errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EPERM) {
			s.count.Attributes = false
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// owners are several where the sampler may give files away: it stops at the first that it may not.
func (s *sampler) owners() error {
	for _, path := range s.paths {
		uid := 1000
		if strings.HasPrefix(path, "database") {
			uid = 999
		}
		if err := os.Lchown(s.full(path), uid, 1000); errors.Is(err, unix.EPERM) || errors.Is(err, unix.EINVAL) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return nil
}

// times are set from the deepest path up, since writing in a folder changes its own.
func (s *sampler) times() error {
	slices.SortFunc(s.paths, func(a, b string) int { return strings.Compare(b, a) })
	for _, path := range append(s.paths, "") {
		if err := setTime(s.full(path), [2]int64{s.random.Int64N(1_700_000_000), s.random.Int64N(1_000_000_000)}); err != nil {
			return err
		}
	}
	return nil
}

func (s *sampler) file(path string, content []byte, mode os.FileMode) error {
	if err := s.folder(filepath.Dir(path)); err != nil {
		return err
	}
	if err := os.WriteFile(s.full(path), content, 0o600); err != nil {
		return err
	}
	s.paths = append(s.paths, path)
	s.count.Files++
	s.count.Bytes += int64(len(content))
	return os.Chmod(s.full(path), mode)
}

func (s *sampler) folder(path string) error {
	if path == "." || slices.Contains(s.paths, path) {
		return nil
	}
	if err := s.folder(filepath.Dir(path)); err != nil {
		return err
	}
	s.paths = append(s.paths, path)
	return os.Mkdir(s.full(path), 0o755)
}

func (s *sampler) full(path string) string { return filepath.Join(s.root, path) }

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// The record is a stream of JSON lines: a header, one line for each entry that has something to say, in the order of
// a sorted walk, and an end, without which it is not whole. The content of a file whose name the engine cannot keep
// follows its line: pieces, each a line with offset and length before its bytes, up to one of length 0.

const formatVersion = 1

type header struct {
	Holdfast int `json:"holdfast"`
}

// entry is what is recorded of one file, folder or other thing. Absent fields are what the engine keeps itself.
type entry struct {
	Path string `json:"p"`
	Kind string `json:"k"`
	// Mode is the permission bits with setuid, setgid and sticky.
	Mode *uint32 `json:"m,omitempty"`
	// Owner is there when it differs from the parent folder's.
	Owner *[2]uint32 `json:"o,omitempty"`
	// Time is the modification time in seconds and nanoseconds.
	Time   *[2]int64         `json:"t,omitempty"`
	Xattrs map[string][]byte `json:"x,omitempty"`
	// Link numbers the entries that are one file.
	Link   int    `json:"h,omitempty"`
	Size   int64  `json:"z,omitempty"`
	Target string `json:"l,omitempty"`
	Device uint64 `json:"d,omitempty"`
	// Odd says that the engine cannot keep the name: the entry is recorded completely.
	Odd bool `json:"n,omitempty"`
	// created says, while a record is applied, that everything about the entry is ours to set.
	created bool
	// reserved says, while a record is made, that the engine does not see the entry.
	reserved bool
}

type piece struct {
	At     int64 `json:"at"`
	Length int64 `json:"n"`
}

type ending struct {
	End bool `json:"end"`
}

const (
	kindFolder  = "d"
	kindFile    = "f"
	kindSymlink = "l"
	kindFifo    = "p"
	kindChar    = "c"
	kindBlock   = "b"
	kindSocket  = "s"
)

// encode carries any bytes through JSON, each as the code point of its number.
func encode(raw string) string {
	var out strings.Builder
	for i := 0; i < len(raw); i++ {
		out.WriteRune(rune(raw[i]))
	}
	return out.String()
}

func decode(text string) (string, error) {
	var out bytes.Buffer
	for _, r := range text {
		if r > 0xff {
			return "", fmt.Errorf("the record holds a path that is not one: %q", text)
		}
		out.WriteByte(byte(r))
	}
	return out.String(), nil
}

// isOdd tells whether the engine, which keeps names as UTF-8 text, would change this one. A name with U+FFFD itself
// is one too, or it could not be told from a changed one.
func isOdd(path string) bool {
	return !utf8.ValidString(path) || strings.ContainsRune(path, utf8.RuneError)
}

// mangled is the name under which the engine keeps an odd one.
func mangled(path string) string {
	var out strings.Builder
	for _, r := range path {
		out.WriteRune(r)
	}
	return out.String()
}

type recordReader struct {
	in *bufio.Reader
}

var errNotWhole = errors.New("the record of attributes ends too early")

func newRecordReader(in io.Reader) (*recordReader, error) {
	reader := &recordReader{in: bufio.NewReaderSize(in, 1<<16)}
	line, err := reader.line()
	if err != nil {
		return nil, err
	}
	var head header
	if err := json.Unmarshal(line, &head); err != nil || head.Holdfast == 0 {
		return nil, errors.New("this is not a record of attributes")
	}
	if head.Holdfast > formatVersion {
		return nil, fmt.Errorf("the record of attributes has version %d, this program knows %d: use a newer one", head.Holdfast, formatVersion)
	}
	return reader, nil
}

func (r *recordReader) line() ([]byte, error) {
	line, err := r.in.ReadBytes('\n')
	if errors.Is(err, io.EOF) {
		return nil, errNotWhole
	}
	return line, err
}

// next returns nil at the end. The content of an odd file must be read, or skipped, before the next call.
func (r *recordReader) next() (*entry, error) {
	line, err := r.line()
	if err != nil {
		return nil, err
	}
	var one struct {
		entry
		ending
	}
	if err := json.Unmarshal(line, &one); err != nil {
		return nil, fmt.Errorf("the record of attributes is damaged: %w", err)
	}
	if one.End {
		_, err := io.Copy(io.Discard, r.in)
		return nil, err
	}
	if one.Path, err = decode(one.Path); err != nil {
		return nil, err
	}
	if one.Target, err = decode(one.Target); err != nil {
		return nil, err
	}
	return &one.entry, nil
}

func (e *entry) hasContent() bool {
	return e.Odd && e.Kind == kindFile
}

// content hands each piece of an odd file to write.
func (r *recordReader) content(write func(at int64, data io.Reader) error) error {
	for {
		line, err := r.line()
		if err != nil {
			return err
		}
		var part piece
		if err := json.Unmarshal(line, &part); err != nil || part.Length < 0 {
			return errors.New("the record of attributes is damaged: no piece where one belongs")
		}
		if part.Length == 0 {
			return nil
		}
		data := &io.LimitedReader{R: r.in, N: part.Length}
		if err := write(part.At, data); err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, data); err != nil {
			return err
		}
	}
}

func (r *recordReader) skipContent() error {
	return r.content(func(int64, io.Reader) error { return nil })
}

// within returns the path below prefix, and whether it is there: "" for the prefix itself.
func within(prefix, path string) (string, bool) {
	if prefix == "" || prefix == path {
		return strings.TrimPrefix(path, prefix), true
	}
	return strings.CutPrefix(path, prefix+"/")
}

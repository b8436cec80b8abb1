package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// readHosts reads the keys by which servers are known. The library takes them from a file only.
func readHosts(text string) (ssh.HostKeyCallback, error) {
	file, err := os.CreateTemp("", "known-hosts-")
	if err != nil {
		return nil, err
	}
	defer os.Remove(file.Name())
	if _, err := file.WriteString(text); err != nil {
		return nil, err
	}
	if err := file.Close(); err != nil {
		return nil, err
	}
	hosts, err := knownhosts.New(file.Name())
	if err != nil {
		return nil, fmt.Errorf("knownhosts: the known hosts cannot be read: %w", err)
	}
	return hosts, nil
}

// algorithms are those of the keys by which a server is known. A server has several keys, and would show another
// one than it is known by. Nil when it is not known, or may be known by an authority: then any will do.
func algorithms(text string, hosts ssh.HostKeyCallback, address string) []string {
	var unlike *knownhosts.KeyError
	if strings.Contains(text, "@cert-authority") || !errors.As(hosts(address, &net.TCPAddr{}, noKey{}), &unlike) {
		return nil
	}
	var found []string
	for _, known := range unlike.Want {
		if kind := known.Key.Type(); kind == ssh.KeyAlgoRSA {
			found = append(found, ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256)
		} else {
			found = append(found, kind)
		}
	}
	return found
}

// noKey is like no key that a server has.
type noKey struct{}

func (noKey) Type() string    { return "none" }
func (noKey) Marshal() []byte { return nil }
func (noKey) Verify([]byte, *ssh.Signature) error {
	return errors.New("it signs nothing")
}

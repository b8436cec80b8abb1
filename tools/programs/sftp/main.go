// holdfast-sftp connects its stdin and stdout with the SFTP subsystem of a server, as `ssh -s sftp` would, for an
// image that has no ssh. restic runs it.
//
// HOLDFAST_SFTP_SERVER in the environment says in JSON where to, and holds the credentials.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"time"

	"golang.org/x/crypto/ssh"
)

const (
	connectTime = 30 * time.Second
	aliveEvery  = 30 * time.Second
	aliveTime   = 90 * time.Second
	// restic ends as soon as this does: before, it has to hear why.
	heardTime = 300 * time.Millisecond
)

type server struct {
	Host       string `json:"host"`
	Port       int    `json:"port"`
	User       string `json:"user"`
	Password   string `json:"password"`
	PrivateKey string `json:"privateKey"`
	KnownHosts string `json:"knownHosts"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		time.Sleep(heardTime)
		os.Exit(1)
	}
}

func run() error {
	var to server
	if err := json.Unmarshal([]byte(os.Getenv("HOLDFAST_SFTP_SERVER")), &to); err != nil {
		return fmt.Errorf("HOLDFAST_SFTP_SERVER: %w", err)
	}
	client, err := connect(to)
	if err != nil {
		return err
	}
	defer client.Close()
	session, err := client.NewSession()
	if err != nil {
		return err
	}
	input, err := session.StdinPipe()
	if err != nil {
		return err
	}
	output, err := session.StdoutPipe()
	if err != nil {
		return err
	}
	if err := session.RequestSubsystem("sftp"); err != nil {
		return fmt.Errorf("the server has no SFTP: %w", err)
	}
	ended := make(chan error, 3)
	// Whoever closes the input has had every answer that it wanted.
	go func() { ended <- copied(input, os.Stdin) }()
	go func() { ended <- ending(copied(os.Stdout, output)) }()
	go func() { ended <- alive(client) }()
	return <-ended
}

func copied(to io.Writer, from io.Reader) error {
	_, err := io.Copy(to, from)
	return err
}

// ending says that there are no more answers, of which the server never should have the last word.
func ending(err error) error {
	if err == nil {
		err = io.EOF
	}
	return fmt.Errorf("connection closed by the server: %w", err)
}

// alive returns when the server does not answer any more.
func alive(client *ssh.Client) error {
	for {
		time.Sleep(aliveEvery)
		answer := make(chan error, 1)
		go func() {
			_, _, err := client.SendRequest("keepalive@openssh.com", true, nil)
			answer <- err
		}()
		select {
		case err := <-answer:
			if err != nil {
				return fmt.Errorf("connection closed: %w", err)
			}
		case <-time.After(aliveTime):
			return errors.New("connection timed out: the server does not answer")
		}
	}
}

func connect(to server) (*ssh.Client, error) {
	address := net.JoinHostPort(to.Host, strconv.Itoa(to.Port))
	config, err := configFor(to, address)
	if err != nil {
		return nil, err
	}
	conn, err := net.DialTimeout("tcp", address, connectTime)
	if err != nil {
		return nil, err
	}
	if err := conn.SetDeadline(time.Now().Add(connectTime)); err != nil {
		return nil, err
	}
	secure, channels, requests, err := ssh.NewClientConn(conn, address, config)
	if err != nil {
		return nil, err
	}
	if err := conn.SetDeadline(time.Time{}); err != nil {
		return nil, err
	}
	return ssh.NewClient(secure, channels, requests), nil
}

func configFor(to server, address string) (*ssh.ClientConfig, error) {
	hosts, err := readHosts(to.KnownHosts)
	if err != nil {
		return nil, err
	}
	config := &ssh.ClientConfig{
		User:              to.User,
		HostKeyCallback:   hosts,
		HostKeyAlgorithms: algorithms(to.KnownHosts, hosts, address),
	}
	if to.PrivateKey == "" {
		config.Auth = []ssh.AuthMethod{ssh.Password(to.Password), ssh.KeyboardInteractive(answers(to.Password))}
		return config, nil
	}
	key, err := ssh.ParsePrivateKey([]byte(to.PrivateKey))
	if err != nil {
		return nil, fmt.Errorf("unable to authenticate: the private key cannot be used: %w", err)
	}
	config.Auth = []ssh.AuthMethod{ssh.PublicKeys(key)}
	return config, nil
}

// answers gives the password to whatever is asked.
func answers(password string) ssh.KeyboardInteractiveChallenge {
	return func(_, _ string, questions []string, _ []bool) ([]string, error) {
		given := make([]string, len(questions))
		for i := range given {
			given[i] = password
		}
		return given, nil
	}
}

module github.com/elithrar/simple-scrypt

go 1.26

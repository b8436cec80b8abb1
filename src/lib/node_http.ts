/**
 * Node's `node:http`. An import of it by name loads all that it can do, fetch included, which takes a program 20 ms of
 * its start.
 */
export const http = process.getBuiltinModule("node:http");

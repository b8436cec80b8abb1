import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";

/**
 * A TCP port of the loopback address that nobody listens on: the preferred one where possible. It is none of
 * those that the kernel gives to outgoing connections: a client that keeps trying to reach a server that is
 * down may get the server's own port, connect to itself and hold it.
 */
export async function freePort(preferred?: number): Promise<number> {
  const limit = firstOutgoingPort();
  if (preferred !== undefined && preferred < limit && (await isFree(preferred))) return preferred;
  for (;;) {
    const port = randomInt(10_000, limit);
    if (await isFree(port)) return port;
  }
}

function firstOutgoingPort(): number {
  return Number.parseInt(readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "utf8"), 10);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" ? resolve(false) : reject(error),
    );
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

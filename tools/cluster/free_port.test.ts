import { once } from "node:events";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { freePort } from "./free_port.ts";

test("freePort() returns the preferred port while it is free, and another one when it is not", async () => {
  const port = await freePort();
  expect(await freePort(port)).toBe(port);
  const server = createServer().listen(port, "127.0.0.1");
  await once(server, "listening");
  expect(await freePort(port)).not.toBe(port);
  server.close();
});

test("freePort() never returns a port of the kernel's range for outgoing connections", async () => {
  expect(await freePort(65_000)).toBeLessThan(65_000);
});

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resticLocation } from "../../src/engines/restic/location.ts";
import type { Place } from "../../src/engines/testing/backend_cases.ts";
import { freePort } from "../../tools/cluster/free_port.ts";
import { pinnedProgram } from "../../tools/cluster/programs.ts";
import { startSftp } from "./servers.ts";

/** The first words of SFTP: a length, the kind of message, a version; and the kind of the answer. */
const HELLO = Buffer.of(0, 0, 0, 5, 1, 0, 0, 0, 3);
const VERSION = 2;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hf-sftp-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** The program as restic starts it. */
function connected({ backend, credentials = {} }: Place): ChildProcess & { readonly said: () => string } {
  const program = pinnedProgram("holdfast-sftp");
  const { env } = resticLocation(backend, credentials, { folder, sftpProgram: program });
  const child = spawn(program, { env: { ...env, TMPDIR: folder } });
  let said = "";
  child.stderr.on("data", (chunk) => {
    said += chunk;
  });
  return Object.assign(child, { said: () => said });
}

describe.each(["key", "password"] as const)("holdfast-sftp with a %s", (way) => {
  let server: Awaited<ReturnType<typeof startSftp>>;
  beforeAll(async () => {
    server = await startSftp(await mkdtemp(join(folder, "server-")), way);
  });
  afterAll(() => server.stop());

  test("connects with a server of which one key of several is known, until nothing more is asked", async () => {
    const child = connected(server.knownByOne);
    child.stdin?.write(HELLO);
    const [answer] = (await once(child.stdout ?? child, "data")) as [Buffer];
    expect(answer[4]).toBe(VERSION);
    child.stdin?.end();
    expect(await once(child, "close")).toEqual([0, null]);
  });

  test.each([
    ["forbidden", "unable to authenticate"],
    ["untrusted", "knownhosts: key mismatch"],
  ] as const)("says what is %s", async (place, words) => {
    const child = connected(server[place]);
    expect(await once(child, "close")).toEqual([1, null]);
    expect(child.said()).toContain(words);
  });
});

test("holdfast-sftp says that there is no server", async () => {
  const sftp = { host: "127.0.0.1", port: await freePort(), user: "u", path: "/" };
  const child = connected({
    backend: { sftp },
    credentials: { SFTP_PASSWORD: "p", SFTP_KNOWN_HOSTS: "# none" },
  });
  expect(await once(child, "close")).toEqual([1, null]);
  expect(child.said()).toContain("connection refused");
});

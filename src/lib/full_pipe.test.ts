import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { FullPipe } from "./full_pipe.ts";
import { systemStreamedProcesses } from "./streamed_process.ts";

const folder = mkdtempSync(join(tmpdir(), "full-pipe-"));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

let pipes = 0;

/** Runs a script that has a full pipe for its standard error. */
async function speaking(script: string) {
  const path = join(folder, `pipe-${++pipes}`);
  execFileSync("mkfifo", [path]);
  const pipe = new FullPipe(path);
  rmSync(path);
  const env = { PATH: process.env.PATH ?? "" };
  const started = await systemStreamedProcesses.start("sh", ["-c", script], { env, errors: pipe });
  const { stdout, stderr, ended } = started;
  return { pipe, ended, said: textOf(stdout), errors: textOf(stderr) };
}

async function textOf(output: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of output) parts.push(part);
  return Buffer.concat(parts).toString();
}

const openFiles = () => readdirSync("/proc/self/fd").length;

test("a program waits when it has something to say, and then says all of it", async () => {
  const mark = join(folder, "mark");
  const { pipe, ended, said, errors } = await speaking(`echo one >&2; touch ${mark}; echo two >&2; echo out`);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(existsSync(mark)).toBe(false);
  pipe.letGo();
  expect(await errors).toBe("one\ntwo\n");
  expect(await said).toBe("out\n");
  expect(await ended).toEqual({ code: 0, signal: null });
  expect(existsSync(mark)).toBe(true);
});

test("more comes out than fits into the pipe at once", async () => {
  const { pipe, errors } = await speaking("head -c 1000000 /dev/zero >&2");
  pipe.letGo();
  expect((await errors).length).toBe(1_000_000);
});

test("whoever is refused is ended as soon as he says something, and is not heard", async () => {
  const { pipe, ended, errors } = await speaking("sleep 0.2; exec cat /dev/zero >&2");
  pipe.refuse();
  expect(await errors).toBe("");
  expect(await ended).toEqual({ code: null, signal: "SIGPIPE" });
});

test("whoever waits when he is refused is ended there", async () => {
  const mark = join(folder, "refused");
  const { pipe, ended } = await speaking(
    `exec python3 -c 'import os; os.write(2, b"one"); open("${mark}", "w")'`,
  );
  await new Promise((resolve) => setTimeout(resolve, 300));
  pipe.refuse();
  expect((await ended).code).not.toBe(0);
  expect(existsSync(mark)).toBe(false);
});

test("who was let go is not refused any more", async () => {
  const { pipe, errors } = await speaking("echo one >&2");
  pipe.letGo();
  pipe.refuse();
  expect(await errors).toBe("one\n");
});

test("a program that never says anything ends as ever", async () => {
  const { pipe, ended, errors } = await speaking("exit 3");
  expect(await ended).toEqual({ code: 3, signal: null });
  pipe.letGo();
  expect(await errors).toBe("");
});

test("nothing stays open, however it ends", async () => {
  const before = openFiles();
  const refused = await speaking("echo one >&2");
  refused.pipe.refuse();
  const letGo = await speaking("echo one >&2");
  letGo.pipe.letGo();
  await Promise.all([refused, letGo].flatMap(({ ended, said, errors }) => [ended, said, errors]));
  const path = join(folder, "unused");
  execFileSync("mkfifo", [path]);
  const errors = new FullPipe(path);
  const none = systemStreamedProcesses.start(join(folder, "none"), [], { env: {}, errors });
  await expect(none).rejects.toThrow("could not be started");
  errors.refuse();
  await expect.poll(openFiles).toBe(before);
});

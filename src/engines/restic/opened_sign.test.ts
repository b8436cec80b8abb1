import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import type { ResticProgram } from "./command.ts";
import { OpenedSign } from "./opened_sign.ts";

const ID = "0123456789abcdef".repeat(4);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sign-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function resticWith(...args: readonly string[]): ResticProgram {
  const processes = { start: () => Promise.reject(new Error("not to be started")) };
  return { program: "restic", processes, clock: new VirtualClock(), env: {}, args };
}

test("is what restic says of the right repository's cache alone", async () => {
  const plain = resticWith("-o", "x=y", "--no-cache");
  const sign = await OpenedSign.make(plain, folder, ID);
  const { args = [] } = sign?.in(plain) ?? {};
  const [cache = ""] = args.slice(-1);
  expect(args).toEqual(["-o", "x=y", "--cache-dir", cache]);
  expect(await readdir(cache)).toEqual([ID]);

  const complaint = (id: string) =>
    `unable to open cache: readVersion: open ${cache}/${id}/version: not a directory`;
  let seen = false;
  sign?.seen.then(() => {
    seen = true;
  });
  expect(sign?.heard(complaint("f".repeat(64)))).toBe(false);
  expect(sign?.heard(`no parent snapshot ${ID}`)).toBe(false);
  await Promise.resolve();
  expect(seen).toBe(false);
  expect(sign?.heard(complaint(ID))).toBe(true);
  await sign?.seen;
  expect(seen).toBe(true);
});

test("is not to be had with a cache, or without an ID that could be one", async () => {
  expect(await OpenedSign.make(resticWith("--cache-dir", "/c"), folder, ID)).toBeUndefined();
  expect(await OpenedSign.make(resticWith("--no-cache"), folder, undefined)).toBeUndefined();
  expect(await OpenedSign.make(resticWith("--no-cache"), folder, "../another")).toBeUndefined();
  expect(await readdir(folder)).toEqual([]);
});

import { expect, test } from "vitest";
import { EngineError } from "../wire/engine_error.ts";
import { cachePlace, withFullDisk } from "./own_disk.ts";

const folders = { cache: "/holdfast/cache", scratch: "/tmp/holdfast-x" };
const full = (path: string) =>
  new EngineError("Full", "backing up: the storage is full", {
    detail: `Fatal: unable to save\nwrite ${path}: no space left on device`,
  });

test.each([
  ["the cache", "/holdfast/cache/kopia/1/blob", "CacheFull", "the mover's cache is full", "cache volume"],
  [
    "temporary files",
    "/tmp/holdfast-x/restic/pack-1",
    "CacheFull",
    "the mover's place for temporary files is full",
    "node's disk",
  ],
  [
    "the repository",
    "/holdfast/repository/data/1",
    "Full",
    "the storage is full",
    "where the repository lives",
  ],
  ["the target", "/tmp/target/file", "Full", "the storage is full", "where the repository lives"],
])("a disk that is full at %s is named", (_name, path, errorClass, message, remedy) => {
  expect(withFullDisk(full(path), folders)).toMatchObject({
    class: errorClass,
    message: expect.stringContaining(message),
    remedy: expect.stringContaining(remedy),
  });
});

test("what is not about space stays as it was", () => {
  const error = new EngineError("Corrupt", "damaged", { detail: "read /holdfast/cache/1: bad checksum" });
  expect(withFullDisk(error, folders)).toBe(error);
  const other = new Error("no space left");
  expect(withFullDisk(other, folders)).toBe(other);
});

test("a cache that cannot be written is told from none, and from one that can", async () => {
  expect(await cachePlace("/tmp")).toBe("writable");
  expect(await cachePlace("/no/such/folder")).toBe("none");
  // Not even root can write there.
  expect(await cachePlace("/proc/sys/kernel")).toBe("forbidden");
});

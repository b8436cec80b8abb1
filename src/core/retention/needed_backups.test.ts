import { expect, test } from "vitest";
import { neededBackups } from "./needed_backups.ts";

const identity = { username: "data", hostname: "billing", path: "/pvc/data" };
const backups = ["a", "b", "c"].map((name) => ({
  key: `billing/${name}`,
  snapshots: [{ id: `k-${name}`, run: `run-${name}`, identity }],
}));
const keys = (...needed: Parameters<typeof neededBackups>[1][]) =>
  needed.flatMap((one) => neededBackups(backups, one).map(({ key }) => key));

test("those are needed that are named, or whose snapshots are, also under a new ID", () => {
  expect(keys([])).toEqual([]);
  expect(keys([{ backup: "billing/a" }])).toEqual(["billing/a"]);
  expect(keys([{ snapshot: { id: "k-b" } }, { backup: "elsewhere/a" }])).toEqual(["billing/b"]);
  expect(keys([{ snapshot: { id: "another", run: "run-c", identity } }])).toEqual(["billing/c"]);
});

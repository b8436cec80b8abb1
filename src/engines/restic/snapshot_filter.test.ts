import { expect, test } from "vitest";
import type { SnapshotFilter } from "../../wire/work.ts";
import { filterArguments, isMeant } from "./snapshot_filter.ts";
import { parseSnapshot } from "./snapshot_record.ts";

test.each<[filter: SnapshotFilter, args: string]>([
  [{}, ""],
  [{ username: "u", hostname: "h", path: "/data" }, "--host h --path /data"],
  [{ hostname: "unknown" }, ""],
  [{ run: "r1", tags: { why: "move" } }, "--tag holdfast-run=r1,why=move"],
])("restic is asked for %j with %j", (filter, args) => {
  expect(filterArguments(filter).join(" ")).toBe(args);
});

test.each<[host: string, filter: SnapshotFilter, meant: boolean]>([
  ["", { hostname: "unknown" }, true],
  ["unknown", { hostname: "unknown" }, true],
  ["nas", { hostname: "unknown" }, false],
  ["nas", { hostname: "nas", username: "root", path: "/data" }, true],
  ["nas", { username: "other" }, false],
  ["nas", { path: "/data/photos" }, false],
  ["nas", {}, true],
])("a snapshot of the host %j for %j: %s", (hostname, filter, meant) => {
  const record = parseSnapshot({ id: "a1", tree: "t1", paths: ["/data"], username: "root", hostname });
  expect(record && isMeant(record, filter)).toBe(meant);
});

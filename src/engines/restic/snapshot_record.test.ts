import { expect, test } from "vitest";
import { parseSnapshot } from "./snapshot_record.ts";

const of = (more: object) =>
  parseSnapshot({ id: "a1", tree: "t1", paths: ["/data"], time: "2026-05-24T00:00:00Z", ...more })?.snapshot
    .identity;

test.each([
  [{ username: "root", hostname: "volsync" }, "root@volsync"],
  [{ hostname: "volsync" }, "unknown@volsync"],
  [{ username: "", hostname: "" }, "unknown@unknown"],
])("a snapshot of %j is of %s", (record, text) => {
  const identity = of(record);
  expect(`${identity?.username}@${identity?.hostname}`).toBe(text);
});

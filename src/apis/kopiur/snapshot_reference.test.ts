import { expect, test } from "vitest";
import { snapshotReference } from "./snapshot_reference.ts";

const identity = { username: "u", hostname: "h", sourcePath: "/p" };

test("a snapshot is found again by run, root and identity, as far as these are known", () => {
  expect(snapshotReference({ id: "k1", run: "r", root: "o", identity })).toEqual({
    id: "k1",
    run: "r",
    root: "o",
    identity: { username: "u", hostname: "h", path: "/p" },
  });
  expect(snapshotReference({ id: "k1", run: "", root: undefined })).toEqual({ id: "k1" });
});

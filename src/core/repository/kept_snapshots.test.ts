import { describe, expect, test } from "vitest";
import { ApiError } from "../../kube/api_error.ts";
import type { Client } from "../../kube/client.ts";
import { AT, REPOSITORIES, readyNas } from "../testing/samples.ts";
import { NAMESPACE_GONE, noteKept, OLDEST } from "./kept_snapshots.ts";

const refusal = (code: number, reason: string) =>
  new ApiError({ request: "PATCH", code, status: { code, reason } });
const snapshots = (...ids: readonly string[]) =>
  ids.map((snapshotID) => ({ snapshotID, backup: "gone/first", since: AT, reason: NAMESPACE_GONE }));

/** A repository whose status is written, unless it is refused first. */
function stage(deletions: object | undefined, refusals: readonly ApiError[] = []) {
  const left = [...refusals];
  const written: unknown[] = [];
  const object = readyNas({ status: deletions ? { deletions } : {} });
  const client = {
    get: async () => object,
    patch: async (_: unknown, __: unknown, { patch }: { patch: { status: { deletions: object } } }) => {
      const refused = left.shift();
      if (refused) throw refused;
      written.push(patch.status.deletions);
      return { ...object, metadata: { ...object.metadata, resourceVersion: "2" } };
    },
  } as unknown as Client;
  const note = (...ids: readonly string[]) =>
    noteKept(client, REPOSITORIES, {
      repository: { namespace: "storage", name: "nas" },
      snapshots: snapshots(...ids),
    });
  return { written, note };
}

describe("noteKept()", () => {
  test("counts and lists what stays", async () => {
    const { written, note } = stage(undefined);
    await note("k1", "k2");
    expect(written).toEqual([{ kept: 2, oldest: snapshots("k1", "k2") }]);
  });

  test("lists only the oldest, and nothing twice", async () => {
    const listed = snapshots(...Array.from({ length: OLDEST }, (_, i) => `k${i}`));
    const { written, note } = stage({ kept: 16, pending: 1, oldest: listed });
    await note("k3", "new");
    expect(written).toEqual([{ kept: 17 }]);
  });

  test("is tried again when somebody else wrote meanwhile, but not for ever", async () => {
    const conflict = refusal(409, "Conflict");
    const { written, note } = stage(undefined, [conflict, conflict]);
    await note("k1");
    expect(written).toHaveLength(1);
    await expect(stage(undefined, Array(9).fill(conflict)).note("k1")).rejects.toBe(conflict);
  });

  test.each([refusal(404, "NotFound"), refusal(403, "Forbidden")])(
    "waits for no repository that says %s",
    async (no) => {
      const { written, note } = stage(undefined, [no]);
      await note("k1");
      expect(written).toEqual([]);
    },
  );
});

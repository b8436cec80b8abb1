import { describe, expect, test } from "vitest";
import type { Restore, RestoreSpec } from "../../../kinds/kopiur/generated/restore.ts";
import { ok } from "../../../lib/result.ts";
import { ASK, asking, catalog, decide } from "../restore/testing/restore_samples.ts";
import { restore, snapshot } from "../testing/samples.ts";
import { completeRestore } from "./complete_restore.ts";

const recipe = (offset: number) => ({ source: { fromConfig: { name: "data", offset } } });
const completed = (spec: Partial<RestoreSpec>) =>
  completeRestore({ object: restore({ spec }), old: undefined });

/** What becomes of it when the repository answers. */
function decided(object: Restore, answer: ReturnType<typeof catalog>) {
  const { offset = 0 } = object.spec.source.fromConfig ?? {};
  const resolution = ok({ ...ASK, point: { offset } });
  return decide({ restore: object, resolution, asking: asking(answer) }).status;
}

describe("completeRestore()", () => {
  test("says of a recipe's Restore no more than its author: the repository's answer decides", () => {
    const { policy } = completed(recipe(0)).spec;
    expect(policy).not.toHaveProperty("onMissingSnapshot");
    const { onMissingSnapshot } = completed({
      ...recipe(0),
      policy: { ...policy, onMissingSnapshot: "Fail" },
    }).spec.policy;
    expect(onMissingSnapshot).toBe("Fail");
  });

  test("leaves a recipe's volume empty only where the repository holds no snapshot at all", () => {
    const first = decided(completed(recipe(0)), catalog([]));
    expect(first).toMatchObject({ phase: "Resolving", resolved: { noSnapshot: true } });
    const tooFar = decided(completed(recipe(1)), catalog([snapshot()]));
    expect(tooFar).toMatchObject({
      phase: "Failed",
      conditions: expect.arrayContaining([expect.objectContaining({ reason: "NoSnapshot" })]),
    });
    expect(tooFar?.resolved).toBeUndefined();
  });
});

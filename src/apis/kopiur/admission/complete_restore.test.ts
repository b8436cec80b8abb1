import { describe, expect, test } from "vitest";
import { asking, catalog, decide } from "../../../core/restore/testing/restore_samples.ts";
import { NOW, snapshot } from "../../../core/testing/samples.ts";
import type { Restore, RestoreSpec } from "../../../kinds/kopiur/generated/restore.ts";
import { sourceOf } from "../restore/restore_source.ts";
import { readyConfig, restore } from "../testing/samples.ts";
import { completeRestore } from "./complete_restore.ts";

const recipe = (offset: number) => ({ source: { fromConfig: { name: "data", offset } } });
const completed = (spec: Partial<RestoreSpec>) =>
  completeRestore({ object: restore({ spec }), old: undefined });

/** What becomes of it when the repository answers. */
function decided(object: Restore, answer: ReturnType<typeof catalog>) {
  const { resolution } = sourceOf({ restore: object, config: readyConfig(), target: "data", now: NOW });
  return decide({ restore: object, resolution, asking: asking(answer) }).status;
}

describe("completeRestore()", () => {
  test("says of a BackupConfig's Restore no more than its author: the repository's answer decides", () => {
    const { policy } = completed(recipe(0)).spec;
    expect(policy).not.toHaveProperty("onMissingSnapshot");
    const { onMissingSnapshot } = completed({
      ...recipe(0),
      policy: { ...policy, onMissingSnapshot: "Fail" },
    }).spec.policy;
    expect(onMissingSnapshot).toBe("Fail");
  });

  test("leaves a BackupConfig's volume empty only where the repository holds no snapshot at all", () => {
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

import { describe, expect, test } from "vitest";
import { backupConfigResource } from "../../../kinds/kopiur/generated/backup_config.ts";
import { decideRemoval, type Leftover } from "./decide_removal.ts";

const NOW = Date.parse("2026-01-01T12:00:00Z");
const GRACE = 900_000;

function leftover(since?: string, manager = "pvc-plumber"): Leftover {
  return {
    resource: backupConfigResource,
    object: {
      apiVersion: "v1",
      kind: "BackupConfig",
      metadata: {
        name: "data",
        namespace: "media",
        uid: "u",
        resourceVersion: "1",
        creationTimestamp: "",
        labels: { "app.kubernetes.io/managed-by": manager },
        annotations: since ? { "pvc-plumber.io/unused-since": since } : {},
      },
    },
  };
}

const ask = (one: Leftover, restoring = false) =>
  decideRemoval({ leftovers: [one], restoring, grace: GRACE, now: NOW });

describe("decideRemoval()", () => {
  test("marks what has just lost its PVC", () => {
    const one = leftover();
    expect(ask(one)).toEqual({ mark: [one], remove: [] });
  });

  test("waits for the end of the grace period", () => {
    expect(ask(leftover("2026-01-01T11:50:00Z"))).toEqual({
      mark: [],
      remove: [],
      wakeAt: Date.parse("2026-01-01T12:05:00Z"),
    });
  });

  test("removes it then, but not while a PVC is being restored", () => {
    const one = leftover("2026-01-01T11:45:00Z");
    expect(ask(one)).toEqual({ mark: [], remove: [one] });
    expect(ask(one, true)).toEqual({ mark: [], remove: [] });
  });

  test("marks anew what is marked with a time that has not come, or with none", () => {
    for (const since of ["2026-01-01T13:00:00Z", "yesterday"]) {
      const one = leftover(since);
      expect(ask(one)).toEqual({ mark: [one], remove: [] });
    }
  });

  test("never touches what is not its own", () => {
    expect(ask(leftover("2026-01-01T01:00:00Z", "argocd"))).toEqual({ mark: [], remove: [] });
  });
});

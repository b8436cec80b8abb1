import { describe, expect, test } from "vitest";
import { lateGate } from "../../../core/backup/late_runs.ts";
import { AT } from "../../../core/testing/samples.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";
import { keyOf } from "../../../kube/object.ts";
import { backup, readyNas, restore } from "../testing/samples.ts";
import { type LateRequest, lateView } from "./late_view.ts";

const holder = { username: "data", hostname: "billing" };
const identity = { ...holder, sourcePath: "/pvc/data" };
const standing = (name: string, id: string, more: object = {}) =>
  backup({ metadata: { name }, status: { snapshots: [{ kopiaSnapshotID: id, identity }] }, ...more });
const made = standing("first", "k2");
/** What was found in the repository, as nobody's. */
const found = { ...standing("found", "k1"), spec: {} } as Backup;

function gate(more: Partial<LateRequest> = {}, restores: readonly Restore[] = [], backups = [made, found]) {
  const caches = {
    backups: {
      get: (key: string) => backups.find((one) => keyOf(one) === key),
      indexed: (_: string, id: string) =>
        backups.filter(({ status }) => status?.snapshots?.some((one) => one.kopiaSnapshotID === id)),
    },
    restores: { values: () => restores.values() },
  } as unknown as LateRequest["caches"];
  const { repository = readyNas() } = more;
  const request = { caches, backup: made, plan: { identity: holder }, ...more, repository };
  return lateGate(repository, lateView(request));
}

const said = (type: string, status: string) => ({
  conditions: [{ type, status, reason: "R", message: "It lacks some.", lastTransitionTime: AT }],
});
const reading = (resolved: object, phase = "Restoring") =>
  restore({ spec: { source: { fromConfig: { name: "data", offset: 0 } } }, status: { phase, resolved } });

describe("what keeps late snapshots", () => {
  test("is open where nothing speaks against it", () => {
    expect(gate()).toEqual({ open: true });
  });

  test.each(["Unknown", "True"])("is shut while the Backup's own snapshot may be missing: %s", (status) => {
    const doubted = backup({ status: said("SnapshotMissing", status) });
    expect(gate({ backup: doubted })).toMatchObject({ open: false, reason: "SnapshotMissing" });
    expect(gate({ backup: backup({ status: said("SnapshotMissing", "False") }) })).toEqual({ open: true });
  });

  test("is shut while it is not certain what the repository holds", () => {
    const repository = readyNas({ status: said("CatalogShrunk", "True") });
    expect(gate({ repository })).toMatchObject({
      open: false,
      reason: "CatalogShrunk",
      message: expect.stringContaining("It lacks some."),
    });
  });

  test.each<[string, Restore]>([
    ["chose a snapshot that no Backup stands for", reading({ snapshotID: "k9", identity })],
    ["chose one that was found in the repository", reading({ snapshotID: "k1", identity })],
    ["chose one of whom it does not say", reading({ snapshotID: "k9" })],
    ["names what was found", restore({ spec: { source: { backupRef: { name: "found" } } } })],
    [
      "fills a claim with it, though another has failed",
      restore({
        status: { phase: "Failed", work: { claims: { one: { resolved: { snapshotID: "k9", identity } } } } },
      }),
    ],
  ])("is shut while a Restore %s", (_, one) => {
    expect(gate({}, [one])).toMatchObject({
      open: false,
      reason: "SnapshotMayBeRead",
      message: "Restore billing/again reads a snapshot of this identity that no backup made.",
    });
  });

  test.each<[string, Restore]>([
    ["names a Backup that was made", restore()],
    ["chose the snapshot of such a one", reading({ snapshotID: "k2", identity })],
    [
      "chose such a one, whose snapshot has another ID by now",
      reading({ backupRef: { name: "first" }, snapshotID: "k0" }),
    ],
    [
      "reads what is of somebody else",
      reading({ snapshotID: "k9", identity: { ...identity, hostname: "shop" } }),
    ],
    ["has chosen nothing yet", restore({ spec: { source: { fromConfig: { name: "data", offset: 0 } } } })],
    ["is over", reading({ snapshotID: "k9", identity }, "Completed")],
  ])("is open though a Restore %s", (_, one) => {
    expect(gate({}, [one])).toEqual({ open: true });
  });
});

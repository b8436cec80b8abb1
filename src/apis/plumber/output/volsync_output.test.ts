import { describe, expect, test } from "vitest";
import { withoutNulls } from "../../../kube/write/differing_fields.ts";
import { decideProtection } from "../protect/decide_protection.ts";
import { sampleWorld } from "../testing/sample_world.ts";

const HOUR = 3_600_000;
const SOURCES = "replicationsources";

function stage(annotations: Readonly<Record<string, string>> = {}) {
  const sample = sampleWorld({ mode: "enforce", output: "volsync" });
  sample.namespace("media");
  sample.publish(new Map());
  const claim = sample.claim("data", annotations, { status: { phase: "Bound" } });
  const creationTimestamp = new Date(sample.clock.now() - 3 * HOUR).toISOString();
  const stored = { ...claim, metadata: { ...claim.metadata, creationTimestamp } };
  const look = () => {
    const { intents, events, action } = decideProtection(sample.world.observe(stored));
    const writes = intents.map((one) =>
      "wanted" in one
        ? `${one.type} ${one.wanted.resource.kind}`
        : one.type === "Delete"
          ? `Delete ${one.present.kind}`
          : one.type,
    );
    return { writes, reasons: events.map(({ reason }) => reason), action, events };
  };
  /** VolSync's object, as the operator made it. */
  const put = (part: "restore" | "schedule", status: object, more: object = {}) => {
    const wanted = sample.world.observe(stored).wanted[part];
    if (!wanted) throw new Error(`no ${part} is wanted`);
    const metadata = { ...stored.metadata, ...wanted.object.metadata };
    const object = { ...withoutNulls(wanted.object), kind: wanted.resource.kind, metadata, status, ...more };
    sample.informers.put(wanted.resource.plural, object);
  };
  return { ...sample, stored, look, put };
}

const IDLE = { conditions: [{ type: "Synchronizing", status: "False", reason: "WaitingForManual" }] };
const failing = (message: string) => ({
  conditions: [{ type: "Synchronizing", status: "False", reason: "Error", message }],
});

describe("the output for VolSync", () => {
  test("waits for VolSync's kinds, writes nothing, and says so", () => {
    const { look, informers } = stage();
    informers.unsync(SOURCES);
    expect(look()).toMatchObject({
      writes: ["Annotate"],
      reasons: expect.arrayContaining(["DependencyNotReady"]),
      action: "wait",
    });
  });

  test("creates the ReplicationDestination first, and the ReplicationSource once VolSync looked at it", () => {
    const { look, put } = stage();
    expect(look()).toMatchObject({
      writes: ["Create ReplicationDestination", "Annotate"],
      reasons: expect.arrayContaining(["DependencyNotReady"]),
    });
    put("restore", {});
    expect(look().writes).toEqual(["Annotate"]);
    put("restore", IDLE);
    expect(look()).toMatchObject({
      writes: ["Create ReplicationSource", "Annotate"],
      reasons: ["SourceReady"],
    });
  });

  test("delays the ReplicationSource while the Secret of the repository is missing", () => {
    const { look, put } = stage();
    put("restore", failing('Secret "volsync-kopia-repository" not found'));
    const { writes, events } = look();
    expect(writes).toEqual(["Annotate"]);
    expect(events).toContainEqual({
      type: "Warning",
      reason: "WaitingForRepoSecret",
      message:
        'Secret volsync-kopia-repository of namespace media is missing or incomplete. VolSync says: Secret "volsync-kopia-repository" not found',
    });
    put("restore", failing("no snapshots found"));
    expect(look().writes).toContain("Create ReplicationSource");
  });

  test("needs no ReplicationDestination where the PVC is never restored", () => {
    expect(stage({ "pvc-plumber.io/restore-mode": "never" }).look().writes).toEqual([
      "Create ReplicationSource",
      "Annotate",
    ]);
  });

  test("corrects its own objects, and reports the fields in which others' differ", () => {
    const { look, put, informers, stored } = stage({ "pvc-plumber.io/source-state": "ready" });
    put("restore", IDLE);
    put("schedule", {});
    expect(look().writes).toEqual([]);
    put("schedule", {}, { spec: { sourcePVC: "other" } });
    expect(look().writes).toEqual(["Correct ReplicationSource"]);
    const labels = { "app.kubernetes.io/managed-by": "argocd" };
    const metadata = { ...stored.metadata, labels };
    informers.put(SOURCES, { kind: "ReplicationSource", metadata, spec: { sourcePVC: "data" } });
    const { writes, events, action } = look();
    expect({ writes, action }).toEqual({ writes: [], action: "foreign" });
    expect(events[0]).toMatchObject({
      reason: "BackupExpectedDriftFound",
      message: expect.stringMatching(/ask for in spec\.trigger, spec\.kopia\. The operator leaves it/),
    });
  });

  test("has VolSync make a backup on request, and remembers it once it was made", () => {
    const { look, put } = stage({ "pvc-plumber.io/trigger": "1", "pvc-plumber.io/source-state": "ready" });
    put("restore", IDLE);
    expect(look().writes).toEqual(["Create ReplicationSource"]);
    put("schedule", {});
    expect(look().writes).toEqual([]);
    put("schedule", { lastManualSync: "1" });
    expect(look().writes).toEqual(["Correct ReplicationSource", "Annotate"]);
  });

  test("does not call a backup that VolSync has just made nothing", () => {
    const { put, world, stored } = stage();
    put("restore", IDLE);
    put("schedule", { lastSyncTime: "2026-01-01T00:00:00Z" });
    expect(world.judge(stored, "arriving").truth).toMatchObject({
      answer: "unknown",
      message: expect.stringContaining("ReplicationSource data made a backup of media/data"),
    });
  });

  test("knows what it restored earlier from what it restores now", () => {
    const { put, world, stored } = stage();
    const outdated = (claim = stored) => {
      const { restore } = world.present("media", "data");
      return restore && world.output.outdated(restore, world.observe(claim).wanted.restore);
    };
    put("restore", IDLE);
    expect(outdated()).toBeUndefined();
    const annotations = { "pvc-plumber.io/backup-identity": "library" };
    expect(outdated({ ...stored, metadata: { ...stored.metadata, annotations } })).toBe(
      "ReplicationDestination data-dst is of another backup identity",
    );
    put("restore", { ...IDLE, latestImage: { name: "snap" }, lastSyncTime: "2026-01-01T00:00:00Z" });
    expect(outdated()).toBe(
      "ReplicationDestination data-dst still holds what it restored at 2026-01-01T00:00:00Z",
    );
  });

  test("is restored while a PVC that names its ReplicationDestination waits for its volume", () => {
    const { world, stored } = stage();
    const dataSourceRef = { apiGroup: "volsync.backube", kind: "ReplicationDestination", name: "data-dst" };
    const claim = { ...stored, spec: { dataSourceRef }, status: { phase: "Pending" } } as typeof stored;
    expect(world.observe(claim).source.state).toBe("waiting_for_restore");
  });
});

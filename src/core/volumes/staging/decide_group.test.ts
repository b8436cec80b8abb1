import { describe, expect, test } from "vitest";
import { groupDecision } from "./decide_group.ts";
import type { VolumeGroupSnapshotContent } from "./group_snapshot_kinds.ts";
import type { ObservedGroup, ObservedMember, ObservedSource } from "./observed_staging.ts";
import { CAPTURED_FOR, groupName, HELD, stagedName } from "./staged_marks.ts";
import type { GroupRequest } from "./staging_request.ts";
import {
  claim,
  content,
  copy,
  DRIVER,
  group,
  groupSnapshot,
  kinds,
  NOW,
  object,
  observed,
  offer,
  owner,
  pod,
  readySnapshot,
  request as single,
  snapshotClass,
  source,
  volume,
} from "./testing/staging_samples.ts";

const logs = { namespace: "shop", name: "logs" };
const { source: _, ...shared } = single();
const request = (changes: Partial<GroupRequest> = {}): GroupRequest => ({
  ...shared,
  sources: [source, logs],
  groupBy: "VolumeGroupSnapshot",
  ...changes,
});
const first = (changes: Partial<ObservedSource> = {}) => observed(changes);
const second = (changes: Partial<ObservedSource> = {}) =>
  observed({
    source: logs,
    claim: claim({ volumeName: "pv-logs" }, undefined, logs),
    volume: volume({}, "pv-logs"),
    ...changes,
  });

interface Case {
  readonly request?: Partial<GroupRequest>;
  readonly sources?: readonly ObservedSource[];
  readonly group?: Partial<ObservedGroup>;
  readonly now?: number;
}

const decide = (given: Case = {}) =>
  groupDecision({
    request: request(given.request),
    sources: given.sources ?? [first(), second()],
    offer,
    group: group(given.group),
    now: given.now ?? NOW,
  });

const member = (name: string, metadata = {}): ObservedMember => {
  const taken = readySnapshot({ name: `member-${name}`, uid: `member-${name}`, labels: {}, ...metadata });
  const snapshot = { ...taken, spec: { source: { persistentVolumeClaimName: name } } };
  return { snapshot, content: content("Delete", `member-${name}`) };
};
const captured = groupSnapshot({ readyToUse: true, creationTime: "2026-01-01T00:00:05Z" });
const marked = (which: ObservedSource, uid = "owner-1"): ObservedSource => {
  const { claim: own } = which;
  if (!own) throw new Error("there is no claim");
  const labels = { [CAPTURED_FOR]: uid };
  return { ...which, claim: { ...own, metadata: { ...own.metadata, labels } } };
};

describe("several volumes", () => {
  test("are marked first, and then captured at one moment by the mark", () => {
    const decision = decide();
    expect(decision.state).toEqual({
      phase: "Waiting",
      captured: false,
      reason: "GroupSnapshotPending",
      message: "A group snapshot of 2 volumes is being taken.",
    });
    expect(decision.intents).toMatchObject([
      { type: "Mark", claim: { metadata: { name: "data" } }, owner },
      { type: "Mark", claim: { metadata: { name: "logs" } }, owner },
      {
        type: "CreateGroup",
        resource: kinds.groups,
        draft: {
          metadata: { namespace: "shop", name: groupName(owner), ownerReferences: [owner.reference] },
          spec: {
            source: { selector: { matchLabels: { [CAPTURED_FOR]: "owner-1" } } },
            volumeGroupSnapshotClassName: "together",
          },
        },
      },
    ]);
    expect(decide({ sources: [marked(first()), second()] }).intents).toMatchObject([
      { type: "Mark", claim: { metadata: { name: "logs" } } },
      { type: "CreateGroup" },
    ]);
  });

  test("are not captured while one of them must not be, and are kept when that comes later", () => {
    const hold = { reason: "VolumeBeingRestored", message: "Somebody writes." };
    const sources = [first(), second({ source: { ...logs, hold } })];
    expect(decide({ sources })).toEqual({
      state: { phase: "Refused", class: "structural", ...hold },
      intents: [],
    });
    const uploading = groupSnapshot({ readyToUse: false, creationTime: "2026-01-01T00:00:05Z" });
    expect(decide({ sources, group: { snapshot: uploading } }).state).toMatchObject({
      phase: "Waiting",
      captured: true,
    });
    const replaced = [first({ source: { ...source, uid: "before" } }), second()];
    expect(decide({ sources: replaced }).state).toMatchObject({ phase: "Refused", reason: "SourceReplaced" });
  });

  test("wait while one of them is being captured for another", () => {
    expect(decide({ sources: [first(), marked(second(), "owner-2")] })).toMatchObject({
      state: { phase: "Waiting", reason: "SourceBusy" },
      intents: [],
    });
  });

  test("are captured one by one with groupBy None", () => {
    expect(decide({ request: { groupBy: "None" }, group: { kinds: undefined } }).intents).toMatchObject([
      { type: "CreateSnapshot", draft: { metadata: { name: stagedName(owner, source, "snapshot") } } },
      { type: "CreateSnapshot", draft: { metadata: { name: stagedName(owner, logs, "snapshot") } } },
    ]);
  });

  test("that are one volume need no group", () => {
    const { intents } = decide({
      request: { sources: [source] },
      sources: [first()],
      group: { kinds: undefined },
    });
    expect(intents).toMatchObject([{ type: "CreateSnapshot" }]);
  });

  const why = (text: string) =>
    `Several volumes cannot be captured at one moment. ${text} To accept that each has its own moment, set groupBy to None.`;
  test.each<[string, Case, string]>([
    [
      "without the API",
      { group: { kinds: undefined } },
      why("This cluster has no API for group snapshots (groupsnapshot.storage.k8s.io)."),
    ],
    [
      "without a class for the driver",
      { group: { classes: [snapshotClass("x", { driver: "other.example.com" })] } },
      why(
        `There is no VolumeGroupSnapshotClass for the driver ${DRIVER}. Create one if the driver can take such snapshots.`,
      ),
    ],
    [
      "of different drivers",
      {
        sources: [
          first(),
          second({ volume: volume({ csi: { driver: "other.example.com", volumeHandle: "x" } }) }),
        ],
      },
      why(`The volumes are of different drivers (${DRIVER}, other.example.com).`),
    ],
    [
      "in different namespaces",
      { sources: [first(), second({ source: { namespace: "till", name: "logs" } })] },
      why("The volumes are in different namespaces (shop, till)."),
    ],
    [
      "as clones",
      { request: { method: "Clone" } },
      "Clones of several volumes are made one after another, not at one moment. Use the copy method Snapshot, or set groupBy to None to accept that each has its own moment.",
    ],
  ])("are refused %s", (_, given, message) => {
    expect(decide(given)).toEqual({
      state: { phase: "Refused", class: "structural", reason: "GroupSnapshotUnsupported", message },
      intents: [],
    });
  });

  test("are refused where it is not clear which class", () => {
    const classes = [snapshotClass("a"), snapshotClass("b")];
    expect(decide({ group: { classes } }).state).toMatchObject({ reason: "GroupSnapshotClassAmbiguous" });
    expect(decide({ request: { groupSnapshotClassName: "none" } }).state).toMatchObject({
      reason: "GroupSnapshotClassNotFound",
    });
  });

  test("are awaited, with the driver's words, and given up at the deadline without a trace", () => {
    const sources = [marked(first()), marked(second())];
    expect(decide({ sources, group: { snapshot: groupSnapshot() } })).toMatchObject({
      state: { phase: "Waiting", reason: "GroupSnapshotPending" },
      intents: [],
    });
    const failed = groupSnapshot({ readyToUse: false, error: { message: "array is busy" } });
    expect(decide({ sources, group: { snapshot: failed } }).state).toMatchObject({
      reason: "GroupSnapshotFailing",
      message: `VolumeGroupSnapshot shop/${groupName(owner)} cannot be taken: array is busy. The driver tries again.`,
    });
    const late = decide({ sources, group: { snapshot: failed }, now: request().deadline });
    expect(late.state).toMatchObject({ phase: "Refused", reason: "GroupSnapshotFailed", class: "transient" });
    expect(late.intents).toMatchObject([
      { type: "Mark", claim: { metadata: { name: "data" } }, owner: undefined },
      { type: "Mark", claim: { metadata: { name: "logs" } }, owner: undefined },
      { type: "Delete", resource: kinds.groups, object: failed },
    ]);
  });

  test("become copies of the group's own snapshots, and lose their marks", () => {
    const sources = [marked(first()), marked(second())];
    const members = [member("logs"), member("data")];
    const { state, intents } = decide({ sources, group: { snapshot: captured, members } });
    expect(state).toMatchObject({ phase: "Waiting", reason: "CopyPending", captured: true });
    const from = (name: string) => ({ draft: { spec: { dataSource: { name: `member-${name}` } } } });
    expect(intents).toMatchObject([
      { type: "CreateClaim", ...from("data") },
      { type: "CreateClaim", ...from("logs") },
      { type: "Mark", owner: undefined },
      { type: "Mark", owner: undefined },
    ]);
  });

  test("wait for a snapshot that the group does not have yet", () => {
    expect(decide({ group: { snapshot: captured, members: [member("data")] } }).state).toMatchObject({
      phase: "Waiting",
      reason: "GroupSnapshotPending",
      message: "The group snapshot has no snapshot of PersistentVolumeClaim shop/logs yet.",
    });
  });

  test("are ready when every copy is", () => {
    const copyOfLogs = copy("Bound", { name: stagedName(owner, logs, "copy") });
    const sources = [first({ staged: { claim: copy() } }), second({ staged: { claim: copyOfLogs } })];
    const members = [member("data"), member("logs")];
    const capturedAt = "2026-01-01T00:00:05Z";
    expect(decide({ sources, group: { snapshot: captured, members } })).toEqual({
      state: {
        phase: "Ready",
        captured: true,
        volumes: [
          { source, claim: stagedName(owner, source, "copy"), capturedAt },
          { source: logs, claim: stagedName(owner, logs, "copy"), capturedAt },
        ],
      },
      intents: [],
    });
    expect(decide({ sources }).state.phase).toBe("Ready");
  });

  test("of a class that retains are told to go along", () => {
    const held = groupSnapshot(captured.status, { finalizers: [HELD] });
    const groupContent = object<VolumeGroupSnapshotContent>(
      "VolumeGroupSnapshotContent",
      { name: "groupsnapcontent-group-1" },
      { spec: { deletionPolicy: "Retain", driver: DRIVER, volumeGroupSnapshotRef: { uid: "group-1" } } },
    );
    const one = { ...member("data"), content: content("Retain", "member-data") };
    const seen = { snapshot: held, content: groupContent, members: [one, member("logs")] };
    expect(decide({ group: seen }).intents.slice(0, 2)).toMatchObject([
      { type: "MakeTemporary", resource: kinds.contents, object: groupContent },
      { type: "MakeTemporary", object: one.content },
    ]);
    expect(
      decide({
        request: {},
        group: { classes: [snapshotClass("r", { deletionPolicy: "Retain" })] },
      }).intents.at(-1),
    ).toMatchObject({
      draft: { metadata: { finalizers: [HELD] } },
    });
  });

  test("read directly on different nodes are refused, on one node are not", () => {
    const on = (nodeName: string) => ({ pods: [pod("db", { spec: { containers: [], nodeName } })] });
    const direct = (...nodes: [string, string]) =>
      decide({ request: { method: "Direct" }, sources: [first(on(nodes[0])), second(on(nodes[1]))] });
    expect(direct("a", "a").state).toMatchObject({ phase: "Ready", volumes: [{}, {}] });
    expect(direct("a", "b").state).toMatchObject({
      phase: "Refused",
      reason: "SourcesApart",
      message:
        "The volumes are in use on different nodes (shop/data on node a, shop/logs on node b), and one mover cannot read both. Use the copy method Snapshot or Clone, or back them up one by one.",
    });
  });

  test("of which one is refused leave nothing of the others", () => {
    const taken = readySnapshot();
    const sources = [
      first({ staged: { snapshot: taken } }),
      second({ claim: claim({ volumeMode: "Block" }) }),
    ];
    expect(decide({ request: { groupBy: "None" }, sources })).toMatchObject({
      state: { phase: "Refused", reason: "BlockVolume" },
      intents: [{ type: "Delete", object: taken }],
    });
  });
});

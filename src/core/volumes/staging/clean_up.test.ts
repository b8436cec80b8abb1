import { describe, expect, test } from "vitest";
import { cleanUp, patientCleanUp, type Staged } from "./clean_up.ts";
import { type EverythingStaged, leftovers, type OwnerTruth } from "./leftovers.ts";
import { HIDDEN } from "./observed_staging.ts";
import { CAPTURED_FOR, HELD, STAGED_FOR } from "./staged_marks.ts";
import {
  claim,
  content,
  copy,
  copyVolume,
  groupSnapshot,
  kinds,
  readySnapshot,
} from "./testing/staging_samples.ts";

const clean = (changes: Partial<Staged>) => cleanUp({ sources: [], marked: [], ...changes });
const going = { deletionTimestamp: "2026-01-01T00:00:00Z" };
const held = { finalizers: [HELD] };
const typesOf = ({ intents }: ReturnType<typeof cleanUp>) =>
  intents.map((one) => `${one.type} ${"object" in one ? one.object.kind : ""}`.trim());

describe("cleanUp()", () => {
  test("is done where nothing is left", () => {
    expect(clean({ sources: [{}, {}] })).toEqual({ intents: [], done: true, unseen: [] });
  });

  test("removes the copy, waits until it is gone, and then removes the snapshot", () => {
    const both = {
      claim: copy(),
      volume: copyVolume("Delete"),
      snapshot: readySnapshot(),
      content: content("Delete"),
    };
    const start = clean({ sources: [both] });
    expect(typesOf(start)).toEqual(["Delete PersistentVolumeClaim"]);
    expect(start.done).toBe(false);
    const waits = clean({ sources: [{ ...both, claim: copy("Bound", going) }] });
    expect(waits).toMatchObject({ intents: [], done: false });
    const then = clean({ sources: [{ snapshot: both.snapshot, content: both.content }] });
    expect(typesOf(then)).toEqual(["Delete VolumeSnapshot"]);
    expect(clean({ sources: [{ snapshot: readySnapshot(going) }] })).toMatchObject({
      intents: [],
      done: false,
    });
  });

  test("has what a class would retain go along before anything is deleted", () => {
    const retained = { claim: copy("Bound", held), volume: copyVolume("Retain") };
    expect(typesOf(clean({ sources: [retained] }))).toEqual([
      "MakeTemporary PersistentVolume",
      "Delete PersistentVolumeClaim",
    ]);
    const snapshot = { snapshot: readySnapshot(held), content: content("Retain") };
    expect(typesOf(clean({ sources: [snapshot] }))).toEqual([
      "MakeTemporary VolumeSnapshotContent",
      "Delete VolumeSnapshot",
    ]);
  });

  test("lets go of what is being deleted once nothing is behind it, or that goes along", () => {
    const snapshot = readySnapshot({ ...held, ...going });
    expect(typesOf(clean({ sources: [{ snapshot }] }))).toEqual(["Release VolumeSnapshot"]);
    expect(typesOf(clean({ sources: [{ snapshot, content: content("Delete") }] }))).toEqual([
      "Delete VolumeSnapshotContent",
      "Release VolumeSnapshot",
    ]);
    expect(typesOf(clean({ sources: [{ snapshot, content: content("Retain") }] }))).toEqual([
      "MakeTemporary VolumeSnapshotContent",
    ]);
  });

  test("lets go of a claim that is being deleted, and leaves its volume to be reclaimed", () => {
    const copied = { claim: copy("Bound", { ...held, ...going }), volume: copyVolume("Delete") };
    expect(typesOf(clean({ sources: [copied] }))).toEqual(["Release PersistentVolumeClaim"]);
  });

  test("holds on while others still hold: something may come of it yet", () => {
    const finalizers = [HELD, "kubernetes.io/pvc-protection"];
    const snapshot = readySnapshot({ ...going, finalizers });
    expect(clean({ sources: [{ snapshot }] })).toMatchObject({ intents: [], done: false });
    expect(clean({ sources: [{ claim: copy("Pending", { ...going, finalizers }) }] })).toMatchObject({
      intents: [],
      done: false,
    });
  });

  test("says what it cannot see, and does not hold that up", () => {
    const snapshot = readySnapshot({ ...held, name: "taken" });
    const { intents, unseen } = clean({ sources: [{ snapshot, content: HIDDEN }] });
    expect(intents).toMatchObject([{ type: "Release" }, { type: "Delete" }]);
    expect(unseen).toEqual([
      "What is behind VolumeSnapshot shop/taken cannot be seen with the operator's rights: if its class retains, it stays after the end, and has to be deleted by hand.",
    ]);
  });

  test("removes marks at once, and the group after the last copy", () => {
    const group = { kinds, snapshot: groupSnapshot(), content: undefined, members: [] };
    const withCopy = clean({ sources: [{ claim: copy() }], group, marked: [claim()] });
    expect(withCopy.intents).toMatchObject([{ type: "Mark", owner: undefined }, { type: "Delete" }]);
    expect(typesOf(withCopy)).toEqual(["Mark", "Delete PersistentVolumeClaim"]);
    expect(typesOf(clean({ sources: [{}], group }))).toEqual(["Delete VolumeGroupSnapshot"]);
    expect(clean({ group: { ...group, snapshot: groupSnapshot(undefined, going) } })).toMatchObject({
      intents: [],
      done: false,
    });
  });
});

describe("patientCleanUp()", () => {
  const taking = (status?: object) => ({ snapshot: { ...readySnapshot(), status } as never });
  test.each([
    ["a snapshot that nobody has looked at", taking(), false],
    ["a snapshot that is being taken", taking({ readyToUse: false }), false],
    ["a snapshot that is there", taking({ readyToUse: true }), true],
    ["a snapshot that failed", taking({ readyToUse: false, error: {} }), true],
    ["a claim", { claim: copy(), volume: copyVolume("Delete") }, true],
  ])("%s is deleted at once: %s", (_, source, atOnce) => {
    const cleaning = clean({ sources: [source] });
    expect(cleaning.intents.map(({ type }) => type)).toEqual(["Delete"]);
    expect(patientCleanUp(cleaning, 1, 0).intents).toEqual(atOnce ? cleaning.intents : []);
    expect(patientCleanUp(cleaning, 1, 1)).toEqual(cleaning);
  });
});

describe("leftovers()", () => {
  const other = {
    labels: { [STAGED_FOR]: "owner-2" },
    annotations: { [STAGED_FOR]: "example.com/v1 Keeper shop/weekly" },
  };
  const marked = claim({}, undefined, {
    labels: { [CAPTURED_FOR]: "owner-3" },
    annotations: { [CAPTURED_FOR]: "example.com/v1 Keeper depot/monthly" },
  });
  const everything: EverythingStaged = {
    claims: [
      { claim: copy(), volume: copyVolume("Delete") },
      { claim: copy("Bound", other), volume: copyVolume("Delete") },
    ],
    snapshots: [
      { snapshot: readySnapshot(), content: content("Delete") },
      {
        snapshot: readySnapshot({ labels: { [STAGED_FOR]: "owner-4" }, annotations: {} }),
        content: undefined,
      },
    ],
    groups: [{ kinds, snapshot: groupSnapshot(), content: undefined, members: [] }],
    marked: [marked],
  };
  const found = (truth: Readonly<Record<string, OwnerTruth>>) =>
    leftovers(everything, ({ uid }) => truth[uid] ?? "unknown");

  test("of owners that are gone are cleaned up, copies before snapshots", () => {
    const [one, ...more] = found({ "owner-1": "gone", "owner-2": "there" });
    expect(more).toEqual([]);
    expect(one?.owner).toEqual({
      apiVersion: "example.com/v1",
      kind: "Keeper",
      namespace: "shop",
      name: "nightly",
      uid: "owner-1",
    });
    expect(one?.cleanUp.intents).toMatchObject([{ type: "Delete", object: { metadata: { uid: "copy-1" } } }]);
  });

  test("are found by the marks on claims, too", () => {
    expect(found({ "owner-3": "gone" })).toMatchObject([
      {
        owner: { namespace: "depot", name: "monthly" },
        cleanUp: { intents: [{ type: "Mark", claim: marked }] },
      },
    ]);
  });

  test.each<[string, Partial<EverythingStaged>]>([
    ["copy", { claims: [{ claim: copy("Bound", { name: "rescued" }), volume: copyVolume("Retain") }] }],
    [
      "copy in another namespace",
      { claims: [{ claim: copy("Bound", { namespace: "depot" }), volume: copyVolume("Delete") }] },
    ],
    [
      "snapshot",
      { snapshots: [{ snapshot: readySnapshot({ name: "rescued" }), content: content("Delete") }] },
    ],
    [
      "group",
      {
        groups: [
          { kinds, snapshot: groupSnapshot(undefined, { name: "rescued" }), content: undefined, members: [] },
        ],
      },
    ],
  ])("are nothing that somebody saved under another name, marks and all: a %s", (_, saved) => {
    const around = { claims: [], snapshots: [], groups: [], marked: [], ...saved };
    expect(leftovers(around, () => "gone")).toEqual([]);
    const [one] = leftovers({ ...around, claims: [...around.claims, ...everything.claims] }, () => "gone");
    const touched = one?.cleanUp.intents.map((intent) => "object" in intent && intent.object.metadata.uid);
    expect(touched).toEqual(["copy-1"]);
  });

  test("are nothing of which the owner is there, unknown, or not named", () => {
    expect(found({})).toEqual([]);
    expect(found({ "owner-1": "there", "owner-2": "there", "owner-3": "there", "owner-4": "gone" })).toEqual(
      [],
    );
  });
});

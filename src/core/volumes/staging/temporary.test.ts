import { describe, expect, test } from "vitest";
import { HELD } from "./staged_marks.ts";
import { decide } from "./testing/decide_one.ts";
import { content, copy, copyVolume, readySnapshot } from "./testing/staging_samples.ts";

describe("what a class would retain", () => {
  const held = { finalizers: [HELD] };

  test("is told to go along, and then no longer held", () => {
    const staged = {
      snapshot: readySnapshot(held),
      content: content("Retain"),
      claim: copy("Bound", held),
      volume: copyVolume("Retain"),
    };
    expect(decide({ seen: { staged } }).intents).toMatchObject([
      {
        type: "MakeTemporary",
        field: "persistentVolumeReclaimPolicy",
        object: { metadata: { name: "pv-copy" } },
      },
      { type: "MakeTemporary", field: "deletionPolicy", object: { kind: "VolumeSnapshotContent" } },
    ]);
    const told = { ...staged, content: content("Delete"), volume: copyVolume("Delete") };
    expect(decide({ seen: { staged: told } }).intents).toMatchObject([
      { type: "Release", object: staged.claim },
      { type: "Release", object: staged.snapshot },
    ]);
  });

  test("is left as it is where it belongs to something else", () => {
    const staged = {
      snapshot: readySnapshot(held),
      content: content("Retain", "another"),
      claim: copy("Bound", held),
      volume: copyVolume("Retain", "another"),
    };
    expect(decide({ seen: { staged } }).intents).toEqual([]);
    const { dataSource: _, ...plain } = copy("Bound", held).spec ?? {};
    const noCopy = { ...copy("Bound", held), spec: plain };
    const { intents } = decide({ seen: { staged: { claim: noCopy, volume: copyVolume("Retain") } } });
    expect(intents).toEqual([]);
  });
});

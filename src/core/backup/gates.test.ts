import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../kube/object.ts";
import { err, ok } from "../../lib/result.ts";
import { type Problem, waits } from "../reconcile/problem.ts";
import { AT, NOW, readyNas } from "../testing/samples.ts";
import type { RunGate } from "../work/run_policy.ts";
import { FIRST_ATTEMPT } from "../work/run_record.ts";
import { NOTHING_DONE } from "../workloads/hooks/hook_progress.ts";
import type { Copies } from "./copies.ts";
import {
  beingRestored,
  captureBy,
  type Entry,
  gateBeforeSlot,
  gateOfMover,
  hooksNext,
  inTime,
  mayCapture,
  type ObservedHooks,
  type RestoresInto,
  readsNext,
  unlessLost,
} from "./gates.ts";
import type { HooksMemory } from "./hooks_memory.ts";

const LATER = "2026-05-24T02:20:00Z";
const OPEN: RunGate = { open: true };
const SHUT: RunGate = { open: false, reason: "Queued", message: "m" };
const problem = (reason: string) => waits(reason, "m");
const holds = new Map<string, Problem>([["billing/data", problem("VolumeBeingRestored")]]);
const trying = { edition: "e1", since: AT, failures: 0 };
const givenUp = { edition: "e1", failures: 1, notBefore: LATER };

const entry = (more: Partial<Entry> = {}): Entry => ({
  cancelled: false,
  record: FIRST_ATTEMPT,
  staging: undefined,
  fingerprint: "e1",
  withdrawn: undefined,
  holds: new Map(),
  ready: ok(readyNas()),
  now: NOW,
  ...more,
});

describe("beingRestored()", () => {
  const sources = [
    { pvc: "billing/data", sourcePath: "/pvc/data", uid: "uid-data" },
    { pvc: "billing/more", sourcePath: "/pvc/more", uid: "uid-more" },
  ];
  const left = { by: "restore/again", since: AT, uid: "uid-again" };
  const writer = { kind: "Restore", metadata: { namespace: "billing", name: "now" } } as KubeObject;
  const of =
    <T>(claim: string, value: T) =>
    (asked: string) =>
      asked === claim ? value : undefined;
  test.each<[string, Partial<RestoresInto>, object]>([
    ["none", {}, {}],
    ["one writes", { writerOf: of("billing/data", writer) }, { "billing/data": "VolumeBeingRestored" }],
    [
      "one has left the second half written",
      { halfWritten: of("billing/more", left) },
      { "billing/more": "VolumeHalfWritten" },
    ],
    [
      "one writes what another one left half written",
      { writerOf: of("billing/data", writer), halfWritten: of("billing/data", left) },
      { "billing/data": "VolumeBeingRestored" },
    ],
  ])("of restores into its volumes: %s", (_, lookup, wanted) => {
    const held = beingRestored({ sources }, { writerOf: () => undefined, ...lookup });
    expect(Object.fromEntries([...held].map(([claim, { reason }]) => [claim, reason]))).toEqual(wanted);
  });

  test("what is said tells both ways out", () => {
    const lookup = { writerOf: () => undefined, halfWritten: of("billing/more", left) };
    expect(beingRestored({ sources }, lookup).get("billing/more")).toMatchObject({
      class: "structural",
      message:
        "PersistentVolumeClaim billing/more is half written: restore/again began to write into it and has not completed. A backup of it would count as good, so none is made. Restore into it again, and the backup goes on by itself. If the volume is good as it is, run holdfast acknowledge restore/again -n billing; or, where restore/again is gone, kubectl annotate pvc more -n billing holdfast.dev/target-incomplete-",
    });
  });
});

describe("gateBeforeSlot()", () => {
  test.each<[string, Partial<Entry>, string]>([
    ["nothing is in the way", {}, "ask"],
    ["its API lets it begin no more", { withdrawn: problem("Withdrawn") }, "Withdrawn"],
    ["a restore writes into its volume", { holds }, "VolumeBeingRestored"],
    ["the repository is away", { ready: err(problem("RepositoryNotReady")) }, "RepositoryNotReady"],
    [
      "all of that is so: its API speaks first",
      { withdrawn: problem("Withdrawn"), holds, ready: err(problem("RepositoryNotReady")) },
      "Withdrawn",
    ],
    [
      "a restore writes, and the repository is away",
      { holds, ready: err(problem("RepositoryNotReady")) },
      "VolumeBeingRestored",
    ],
    [
      "a restore writes, but a try is under way that may have captured before",
      { holds, staging: trying },
      "ask",
    ],
    ["a restore writes, after a try was given up", { holds, staging: givenUp }, "VolumeBeingRestored"],
    ["its run cannot be made", { described: err(problem("NoWorkloadPod")) }, "NoWorkloadPod"],
    [
      "its run cannot be made, and the repository is away",
      { described: err(problem("NoWorkloadPod")), ready: err(problem("RepositoryNotReady")) },
      "RepositoryNotReady",
    ],
    ["its run can be made", { described: ok("a run") }, "ask"],
    ["it waits for its next try at a copy", { staging: givenUp }, "open"],
    ["another edit waited for its copy", { staging: { ...givenUp, edition: "e0" } }, "ask"],
    ["somebody wants it to end", { cancelled: true }, "open"],
    [
      "somebody wants it to end, and the repository is away",
      { cancelled: true, ready: err(problem("RepositoryNotReady")) },
      "RepositoryNotReady",
    ],
  ])("where %s", (_, more, expected) => {
    const gate = gateBeforeSlot(entry(more));
    expect("ask" in gate ? "ask" : gate.open ? "open" : gate.reason).toBe(expected);
  });
});

test.each<[string, Partial<Entry>, boolean]>([
  ["nothing was begun", {}, true],
  ["somebody wants it to end", { cancelled: true }, false],
  ["it has ended", { record: { ...FIRST_ATTEMPT, outcome: "Succeeded" } }, false],
  ["it has its Job", { record: { ...FIRST_ATTEMPT, job: "uid-1" } }, false],
  ["the repository is asked about the last attempt", { record: { ...FIRST_ATTEMPT, step: "Settle" } }, false],
  ["the next attempt has its time", { record: { ...FIRST_ATTEMPT, notBefore: LATER } }, false],
])("whether the volumes are read next, where %s: %s", (_, more, next) => {
  expect(readsNext(entry(more))).toBe(next);
});

const memory = (more: Partial<HooksMemory> = {}): HooksMemory => ({
  round: 3,
  moment: "Capture",
  attempt: 1,
  before: NOTHING_DONE,
  after: NOTHING_DONE,
  ...more,
});
const failed = { finished: 1, failure: "f" };

test.each<[string, HooksMemory | undefined, RunGate, Partial<Entry>, boolean, boolean]>([
  ["nothing else is in the way", undefined, OPEN, {}, true, false],
  ["a round is over", memory({ moment: "Over" }), OPEN, {}, true, false],
  ["a gate before them is shut", undefined, SHUT, {}, false, false],
  ["it waits for its next try at a copy", undefined, OPEN, { staging: givenUp }, false, false],
  ["it has its Job", undefined, OPEN, { record: { ...FIRST_ATTEMPT, job: "uid-1" } }, false, false],
  ["what is captured is still there", memory({ moment: "Over", captured: true }), OPEN, {}, false, false],
  ["a hook failed", memory({ moment: "Over", before: failed }), OPEN, {}, false, true],
  ["somebody wants it to end", undefined, OPEN, { cancelled: true }, false, true],
])("whether hooks are due, where %s", (_, remembered, gate, more, due, ending) => {
  expect(hooksNext(entry(more), remembered, gate)).toEqual({ due, open: gate.open, ending });
});

const seen = (remembered: HooksMemory | undefined): ObservedHooks =>
  ({ hooks: {}, memory: remembered, due: true, open: true, ending: false }) as unknown as ObservedHooks;

describe("with hooks", () => {
  test.each<[string, HooksMemory | undefined, readonly [boolean, boolean, boolean]]>([
    ["before they have begun", undefined, [false, false, false]],
    ["while those before the capture run", memory({ moment: "Before" }), [false, false, false]],
    ["during the capture", memory(), [true, true, true]],
    [
      "while those after it run, beside its copies",
      memory({ moment: "After", captured: true }),
      [true, true, false],
    ],
    ["while those after an attempt run", memory({ moment: "After" }), [false, false, false]],
    ["after it, with copies", memory({ moment: "Over", captured: true }), [true, false, true]],
    ["after an attempt", memory({ moment: "Over" }), [false, false, false]],
  ])(
    "%s, what may be captured, also where a gate shut since, and whether a mover may start",
    (_, remembered, all) => {
      const hooks = seen(remembered);
      const captures = (gate: RunGate) => mayCapture({ gate, hooks, cancelled: false });
      const mover = gateOfMover({ gate: OPEN, hooks, copies: undefined });
      expect([captures(OPEN), captures(SHUT), mover.open]).toEqual(all);
      expect(mayCapture({ gate: OPEN, hooks, cancelled: true })).toBe(false);
    },
  );

  test("a copy that was lost is not made again but between hooks", () => {
    const hooks = seen(memory({ moment: "Over", captured: true }));
    expect(unlessLost(hooks, staged("Waiting", true))).toBe(hooks);
    const anew = unlessLost(hooks, staged("Waiting"));
    expect(anew).toMatchObject({ due: true });
    expect(anew?.memory?.captured).toBeUndefined();
    expect(gateOfMover({ gate: OPEN, hooks: anew, copies: undefined })).toMatchObject({
      reason: "RunningHooks",
    });
  });
});

const staged = (phase: "Waiting" | "Refused", captured = false): Copies => ({
  phase: "Staging",
  memory: trying,
  decision: {
    state: { phase, captured, class: "transient", reason: "CopyPending", message: "m" } as never,
    intents: [],
  },
});

test.each<[string, Parameters<typeof gateOfMover>[0], string]>([
  ["nothing is in the way", { gate: OPEN, hooks: undefined, copies: undefined }, "open"],
  ["a gate before is shut", { gate: SHUT, hooks: seen(undefined), copies: staged("Waiting") }, "Queued"],
  ["hooks have to run", { gate: OPEN, hooks: seen(undefined), copies: staged("Waiting") }, "RunningHooks"],
  [
    "there is nothing to read yet",
    { gate: OPEN, hooks: seen(memory()), copies: staged("Waiting") },
    "CopyPending",
  ],
  [
    "it may be captured without hooks",
    { gate: OPEN, hooks: undefined, copies: staged("Waiting") },
    "CopyPending",
  ],
])("what a mover waits for, where %s: %s", (_, view, expected) => {
  const gate = gateOfMover(view);
  expect(gate.open ? "open" : gate.reason).toBe(expected);
});

describe("a workload that was quiesced", () => {
  const quiesced = memory({ quiescedAt: AT });
  const minutes = (number: number) => Date.parse(AT) + number * 60_000;

  test.each<[string, HooksMemory | undefined, string | undefined, number | undefined]>([
    ["waits for five minutes, where nothing else is said", quiesced, undefined, minutes(5)],
    ["waits for as long as the hooks say", quiesced, "90s", minutes(1.5)],
    ["waits for nothing while the hooks before run", memory({ moment: "Before" }), undefined, undefined],
    ["waits for nothing once it is captured", { ...quiesced, moment: "After" }, undefined, undefined],
    ["waits for nothing where no hook held it", memory(), undefined, undefined],
    ["waits for nothing without hooks", undefined, undefined, undefined],
  ])("%s", (_, remembered, timeout, at) => {
    expect(captureBy(remembered, timeout)?.at).toBe(at);
  });

  test.each<[string, Copies | undefined, number, string]>([
    ["its copies are not captured in time", staged("Waiting"), minutes(5), "CaptureTimeout"],
    ["there is still time", staged("Waiting"), minutes(4), "Waiting"],
    ["they are captured, and not ready to be read", staged("Waiting", true), minutes(9), "Waiting"],
    ["they were refused before", staged("Refused"), minutes(9), "CopyPending"],
    ["there are none", undefined, minutes(9), "none"],
  ])("where %s", (_, copies, now, expected) => {
    const judged = inTime(copies, captureBy(quiesced), now);
    const state = judged?.phase === "Staging" ? judged.decision.state : undefined;
    expect(state ? (state.phase === "Refused" ? state.reason : state.phase) : "none").toBe(expected);
    if (expected !== "CaptureTimeout" || state?.phase !== "Refused") return;
    expect(state.message).toBe(
      "The volumes were not captured 5m after the hooks before the snapshot, which is as long as the workload may wait. CopyPending: m",
    );
  });
});

test("without hooks all that stands before the capture is the gate", () => {
  expect(mayCapture({ gate: OPEN, hooks: undefined, cancelled: false })).toBe(true);
  expect(mayCapture({ gate: SHUT, hooks: undefined, cancelled: false })).toBe(false);
});

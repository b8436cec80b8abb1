import { describe, expect, test } from "vitest";
import { AT, NOW } from "../testing/samples.ts";
import { PAUSED_FOR } from "../workloads/gitops/pause.ts";
import { application } from "../workloads/gitops/testing/gitops_samples.ts";
import { ROLLOUTS } from "../workloads/scaling/testing/rollouts.ts";
import { decideRestoreDeletion, type ObservedRestoreDeletion } from "./restore_deletion.ts";
import { down, existing, inPlace, keeper, remembered } from "./testing/in_place_samples.ts";
import { conditionOf, RESTORES } from "./testing/restore_samples.ts";

describe("decideRestoreDeletion()", () => {
  const going = inPlace(
    { scaledWorkloads: remembered },
    { finalizers: [RESTORES.finalizer], deletionTimestamp: AT },
  );
  const mover = {
    pod: {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { ...existing().metadata, labels: { "holdfast.dev/run-owner": "uid-again" } },
    },
  };
  const decideEnd = (more: Partial<ObservedRestoreDeletion>) =>
    decideRestoreDeletion({
      restore: going,
      api: RESTORES,
      scaled: [down],
      users: [],
      namespaceGoes: false,
      now: NOW,
      ...more,
    }).intents.map(({ type }) => type);

  test("ends the mover first, then brings workloads back, then lets go", () => {
    expect(decideEnd({ users: [mover] })).toEqual(["EndRuns"]);
    expect(decideEnd({})).toEqual(["EndRuns", "Scale"]);
    expect(decideEnd({ scaled: [keeper()] })).toEqual(["LetGo"]);
  });

  test("keeps what was scaled down and may not be read any more, and says how to go on", () => {
    const hidden = [{ resource: ROLLOUTS, name: "web" }];
    expect(decideEnd({ scaled: [], hidden })).toEqual(["EndRuns"]);
    expect(decideEnd({ hidden })).toEqual(["EndRuns", "Scale"]);
    expect(decideEnd({ scaled: [], hidden, namespaceGoes: true })).toEqual(["LetGo"]);
    const seen = {
      restore: going,
      api: RESTORES,
      scaled: [],
      hidden,
      users: [],
      namespaceGoes: false,
      now: NOW,
    };
    const decision = decideRestoreDeletion(seen);
    expect(conditionOf(decision, "Ready")).toMatchObject({
      reason: "WorkloadHidden",
      message: `Rollout web was scaled down for this restore, and cannot be brought back: it may not be read. Grant the operator get and patch on rollouts.argoproj.io (the chart's rbac.extraRules); or scale it up yourself, as its list of workloads says, and remove the finalizer ${RESTORES.finalizer}.`,
    });
    expect(decision.wakeAt).toBe(NOW + 300_000);
  });

  test("lets go at once in a namespace that is going", () => {
    expect(decideEnd({ users: [mover], namespaceGoes: true })).toEqual(["LetGo"]);
  });

  test("has GitOps go on after the workloads, also in a namespace that is going", () => {
    const paused = [application({ [PAUSED_FOR]: "uid-again" })];
    const types = (more: Partial<ObservedRestoreDeletion>) =>
      decideRestoreDeletion({
        restore: going,
        api: RESTORES,
        scaled: [down],
        paused,
        users: [],
        namespaceGoes: false,
        now: NOW,
        ...more,
      }).intents.flatMap((one) => (one.type === "Scale" ? one.intents : [one]).map(({ type }) => type));
    expect(types({})).toEqual(["EndRuns", "ScaleUp", "Resume"]);
    expect(types({ scaled: [] })).toEqual(["EndRuns", "Resume"]);
    expect(types({ namespaceGoes: true })).toEqual(["Resume", "LetGo"]);
    expect(types({ scaled: [], paused: [application()] })).toEqual(["LetGo"]);
  });

  test("has nothing to do where nothing was scaled down", () => {
    expect(decideEnd({ restore: inPlace({}, { deletionTimestamp: AT }) })).toEqual([]);
  });
});

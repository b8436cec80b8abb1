import { expect, test } from "vitest";
import { keyOf } from "../object.ts";
import {
  aliveCheck,
  cacheCheck,
  doorCheck,
  leaderCheck,
  progressCheck,
  rightsCheck,
  startedChecks,
} from "./checks.ts";
import type { GroupName, RunnableState } from "./manager.ts";

const manager = (stopping: boolean, ...parts: [GroupName, string, RunnableState][]) => ({
  stopping,
  states: () => parts.map(([group, name, state]) => ({ group, name, state })),
});

test("a cache is ready when synced and confirmed lately", () => {
  const of = (synced: boolean, staleness: number, trouble?: string) =>
    cacheCheck("pods", { synced, staleness, trouble, optional: false }, 60_000).check();
  expect(of(true, 60_000)).toEqual({ ok: true });
  expect(of(false, Number.POSITIVE_INFINITY)).toEqual({ ok: false, problem: "not synced yet" });
  expect(of(false, Number.POSITIVE_INFINITY, "forbidden")).toEqual({
    ok: false,
    problem: "not synced yet: forbidden",
  });
  expect(of(true, 61_000)).toEqual({
    ok: false,
    problem: "the API server has not confirmed it for 61 s (limit 60 s)",
  });
});

test("a cache that can be done without warns, and fails nothing", () => {
  const cache = { synced: false, staleness: Number.POSITIVE_INFINITY, trouble: "forbidden", optional: true };
  expect(cacheCheck("csidrivers", cache).check()).toEqual({ ok: true, warning: "not synced yet: forbidden" });
});

test("rights that are missing are named, and fail nothing", () => {
  expect(rightsCheck({ missing: [] }).check()).toEqual({ ok: true });
  const missing = [
    { verb: "get", group: "", resource: "nodes", namespaces: [] },
    { verb: "create", group: "batch", resource: "jobs", namespaces: ["a", "b"] },
  ];
  expect(rightsCheck({ missing }).check()).toEqual({
    ok: true,
    warning: "missing: get nodes; create jobs.batch in a, b",
  });
});

test("webhooks that cannot be called are a warning", () => {
  expect(doorCheck({ problem: undefined }).check()).toEqual({ ok: true });
  expect(doorCheck({ problem: "expired" }).check()).toEqual({ ok: true, warning: "expired" });
});

test("readiness lists the parts of every replica, and passes over the elected ones", () => {
  const checks = startedChecks(
    manager(
      false,
      ["servers", "health", "running"],
      ["webhooks", "admission", "starting"],
      ["elected", "x", "waiting"],
    ),
  );
  expect(checks.map(({ name, check }) => [name, check()])).toEqual([
    ["servers/health", { ok: true }],
    ["webhooks/admission", { ok: false, problem: "it is starting" }],
  ]);
});

test("a program that stops is not ready", () => {
  const [check] = startedChecks(manager(true, ["webhooks", "admission", "stopping"]));
  expect(check?.check()).toEqual({ ok: false, problem: "the program is stopping" });
});

test("a part that failed is named", () => {
  expect(
    aliveCheck(manager(false, ["caches", "pods", "failed"], ["servers", "health", "running"])).check(),
  ).toEqual({
    ok: false,
    problem: "caches/pods has failed",
  });
  expect(aliveCheck(manager(false, ["caches", "pods", "running"])).check()).toEqual({ ok: true });
});

test("a reconcile that is stuck is named, and one that has so long is not stuck", () => {
  const controller = (longestRunning: number, deadline = 120_000) => ({
    name: "mirror",
    deadline,
    queue: { depth: 0, delayed: 0, inFlight: [keyOf({ namespace: "ns", name: "a" })], longestRunning },
  });
  expect(progressCheck(controller(600_000)).check()).toEqual({ ok: true });
  expect(progressCheck(controller(601_000)).check()).toEqual({
    ok: false,
    problem: "the reconcile of ns/a has been stuck for 601 s",
  });
  expect(progressCheck(controller(1_800_000, 1_800_000)).check()).toEqual({ ok: true });
});

test("the lease is information, whoever has it", () => {
  const note = (leads: boolean, holder: string) => leaderCheck({ isLeader: () => leads, holder }).check();
  expect(note(true, "me")).toEqual({ ok: true, note: "this replica leads" });
  expect(note(false, "other")).toEqual({ ok: true, note: "other leads" });
  expect(note(false, "")).toEqual({ ok: true, note: "nobody leads yet" });
});

import { expect, test } from "vitest";
import { seededRandom } from "../../lib/random.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import type { RunEnd } from "../observers.ts";
import type { Span } from "./otlp_json.ts";
import { reconcileSpans, runSpans } from "./otlp_spans.ts";

const NOW = Date.UTC(2026, 0, 1);
const clock = new VirtualClock(NOW);
const run = {
  namespace: "shop",
  name: "backup-1",
  pod: "backup-1-x",
  node: "n1",
  owner: { group: "g", kind: "Backup", name: "nightly" },
  createdAt: NOW - 9000,
  startedAt: NOW - 8000,
  endedAt: NOW - 1000,
};

function told(...ends: readonly RunEnd[]): Span[] {
  const spans: Span[] = [];
  const observer = runSpans(clock, (span) => void spans.push(span));
  for (const end of ends) observer.runEnded(end);
  return spans;
}

test("a reconcile is a trace of its own, as long as it took", () => {
  const spans: Span[] = [];
  const observer = reconcileSpans(clock, seededRandom(1), (span) => void spans.push(span));
  observer.reconciled("kopiur-backup", "done", 250, "shop/a");
  observer.reconciled("kopiur-backup", "structural", 1, "shop/b");
  expect(spans).toMatchObject([
    {
      trace: expect.stringMatching(/^[0-9a-f]{32}$/),
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      name: "reconcile kopiur-backup",
      start: NOW - 250,
      end: NOW,
      attributes: { controller: "kopiur-backup", key: "shop/a", result: "done" },
    },
    { error: "structural" },
  ]);
  expect(spans[0]).not.toHaveProperty("error");
  expect(spans[0]?.trace).not.toBe(spans[1]?.trace);
});

test("a run is one trace: the wait for its mover, and the mover", () => {
  const [whole, mover, ...rest] = told({ operation: "snapshot", result: "succeeded", run });
  expect(rest).toEqual([]);
  expect(whole).toMatchObject({ name: "run snapshot", start: NOW - 9000, end: NOW - 1000 });
  expect(whole?.attributes).toMatchObject({
    "k8s.pod.name": "backup-1-x",
    "holdfast.owner.kind": "Backup",
    "holdfast.owner.name": "nightly",
  });
  expect(whole).not.toHaveProperty("parent");
  expect(whole).not.toHaveProperty("error");
  expect(mover).toMatchObject({ name: "mover snapshot", start: NOW - 8000, end: NOW - 1000 });
  expect([mover?.trace, mover?.parent]).toEqual([whole?.trace, whole?.id]);
  expect(whole?.trace).toMatch(/^[0-9a-f]{32}$/);
});

test("pods that do the same work one after the other are in one trace", () => {
  const [first, , second] = told(
    { operation: "snapshot", result: "failed", run },
    { operation: "snapshot", result: "succeeded", run: { ...run, pod: "backup-1-y" } },
  );
  expect(first).toMatchObject({ error: "failed" });
  expect(second?.trace).toBe(first?.trace);
  expect(second?.id).not.toBe(first?.id);
});

test("a mover that nobody saw end is told of as it is known", () => {
  const { startedAt, endedAt, ...unseen } = run;
  expect(told({ operation: "restore", result: "lost", run: unseen })).toMatchObject([
    { name: "run restore", start: NOW - 9000, end: NOW, error: "lost" },
  ]);
});

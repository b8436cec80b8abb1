import { describe, expect, test } from "vitest";
import { NOW, readyNas } from "../testing/samples.ts";
import type { RepositoryState } from "./repository.ts";
import { type ObservedDeletions, withDeletions } from "./with_deletions.ts";

const NONE = { release: [], recent: [] };
const HELD = { ...NONE, recent: ["x-1"], held: { ids: ["a", "b"], token: "t-1", message: "2 are held" } };

function decide(more: Partial<ObservedDeletions> = {}) {
  const observed = { repository: readyNas(), deletions: NONE, blocked: [], now: NOW, ...more };
  return withDeletions({ intents: [] }, observed);
}
const withBefore = (deletions: RepositoryState["deletions"]) => readyNas({ status: { deletions } });

describe("withDeletions()", () => {
  test("a repository of which nothing is deleted has nothing to say", () => {
    expect(decide().status).toEqual(readyNas().status);
  });

  test("deletions are remembered, and looked at again when their pause is over", () => {
    const { status, wakeAt } = decide({ deletions: { ...NONE, recent: ["x-1"], wakeAt: NOW + 5 } });
    expect(status?.deletions).toEqual({ recent: ["x-1"] });
    expect(wakeAt).toBe(NOW + 5);
  });

  test("what is held is told once, with the token that lets it go on", () => {
    const { status, events } = decide({ deletions: HELD });
    expect(status?.deletions).toEqual({
      recent: ["x-1"],
      held: 2,
      heldSince: "2026-05-24T02:13:00Z",
      acknowledgeToken: "t-1",
    });
    expect(status?.conditions).toMatchObject([
      { type: "DeletionsHeld", status: "True", message: "2 are held." },
    ]);
    expect(events).toMatchObject([{ type: "Warning", reason: "DeletionsHeld" }]);
    const again = decide({
      repository: readyNas({ status: { ...status } }),
      deletions: HELD,
      now: NOW + 60_000,
    });
    expect(again.status).toEqual({ ...readyNas().status, ...status });
    expect(again.events).toEqual([]);
    const more = { ids: ["a", "b", "c"], token: "t-2", message: "3 are held" };
    const grown = decide({
      repository: readyNas({ status: { ...status } }),
      deletions: { ...HELD, held: more },
      now: NOW + 60_000,
    });
    expect(grown.status?.deletions).toMatchObject({ held: 3, acknowledgeToken: "t-2" });
    expect(grown.status?.conditions).toMatchObject([
      { type: "DeletionsHeld", message: "3 are held.", lastTransitionTime: "2026-05-24T02:13:00Z" },
    ]);
    expect(grown.events).toEqual([]);
  });

  test("and when nothing is held any more, that is told", () => {
    const { status, events } = decide({ repository: withBefore({ held: 2, acknowledgeToken: "t-1" }) });
    expect(status?.deletions).toEqual({});
    expect(status?.conditions).toMatchObject([{ type: "DeletionsHeld", status: "False" }]);
    expect(events).toMatchObject([{ reason: "DeletionsReleased" }]);
  });

  test("what could not be deleted is pending until it is; what stayed of namespaces that are gone is not", () => {
    const kept = {
      snapshotID: "k0",
      backup: "gone/x",
      since: "2026-01-01T00:00:00Z",
      reason: "NamespaceGone",
    };
    const blocked = {
      snapshotID: "k1",
      backup: "billing/first",
      since: "2026-05-24T02:00:00Z",
      reason: "Unreachable",
    };
    const repository = withBefore({ kept: 1, oldest: [kept] });
    const { status } = decide({ repository, blocked: [blocked] });
    expect(status?.deletions).toEqual({
      kept: 1,
      pending: 1,
      oldest: [blocked, kept],
    });
    expect(decide({ repository: withBefore(status?.deletions) }).status?.deletions).toEqual({
      kept: 1,
      pending: 0,
      oldest: [kept],
    });
    const crowd = decide({ repository, blocked: Array(20).fill(blocked) });
    expect(crowd.status?.deletions?.oldest).toHaveLength(16);
    expect(crowd.status?.deletions?.oldest).toContainEqual(kept);
  });
});

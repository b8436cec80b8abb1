import { expect, test } from "vitest";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import type { Answer } from "../../wire/report.ts";
import type { EngineRoom } from "../reconcile/engine_room.ts";
import { failed, NOW, REPOSITORIES, readyNas, SETTINGS, succeeded, UNREACHABLE } from "../testing/samples.ts";
import type { TaskState } from "../work/task_decision.ts";
import { doChores } from "./do_chores.ts";

const HOUR = 3_600_000;
const INTACT = {
  type: "Intact",
  status: "False",
  reason: "DamagedDataRead",
  message: "It is damaged.",
} as const;

interface Given {
  readonly state?: TaskState;
  readonly privileged?: boolean;
  readonly damaged?: boolean;
  readonly error?: string;
}

/** What is done where a prune is due on a repository. */
function prune({ state = succeeded({ maintain: {} }), privileged, damaged, error }: Given) {
  const conditions = damaged ? [{ ...INTACT, lastTransitionTime: "2026-05-24T00:00:00Z" }] : [];
  const object = readyNas({
    metadata: { creationTimestamp: new Date(NOW - HOUR).toISOString() },
    spec: privileged ? { moverDefaults: { privilegedMode: true } } : {},
    status: { conditions },
  });
  const room = {
    clock: new VirtualClock(NOW),
    queues: { ask: () => ({ place: {}, running: 0, waiting: 0 }) },
    tasks: {
      decide: async () => ({ record: { attempt: 1, step: "Work", failures: 0 }, state, intents: [] }),
    },
  } as unknown as EngineRoom;
  const { namespace = "" } = object.metadata;
  const context = { repository: object, namespace, settings: SETTINGS, consent: false };
  const marks = error === undefined ? {} : { prune: { error } };
  const owner = { resource: REPOSITORIES, object, repository: object, context, marks, work: {}, now: NOW };
  return doChores(room, { ...owner, schedule: { prune: "0 * * * *" } }, new AbortController().signal);
}

const found = (check: object) => succeeded({ maintain: { check: { problems: ["p"], ...check } } } as Answer);

test.each<[string, TaskState, string, string]>([
  ["found damage", found({}), "Corrupt", "The check found damage: p. Back up to another"],
  [
    "found packs missing",
    found({ missing: { packs: 2, snapshots: 0, hit: [] } }),
    "Corrupt",
    "The storage has lost 2 packs of the repository. No snapshot needs them so far. Delete nothing",
  ],
  ["came to no end", failed(UNREACHABLE), "Unreachable", ""],
])("a prune that %s is told, and shown", async (_, state, reason, text) => {
  const { marks, events } = await prune({ state });
  expect(events).toEqual([{ type: "Warning", reason, message: expect.stringContaining(text) }]);
  expect(marks.prune).toMatchObject({ error: events[0]?.message });
});

test("nothing is told of one that succeeded", async () => {
  const { marks, events, intact } = await prune({});
  expect([events, intact]).toEqual([[], undefined]);
  expect(marks.prune).toMatchObject({ lastSuccess: "2026-05-24T02:13:00Z" });
});

test("data that was all read and is whole ends the damage that a run met", async () => {
  const { marks, events, intact } = await prune({
    damaged: true,
    state: succeeded({ check: { problems: [] } }),
  });
  expect(intact).toMatchObject({ type: "Intact", status: "True" });
  expect(events).toMatchObject([{ type: "Normal", reason: "Intact" }]);
  expect(marks).toMatchObject({ verification: { lastSuccess: "2026-05-24T02:13:00Z" } });
  const again = await prune({ damaged: true, state: succeeded({ check: { problems: ["p"] } }) });
  expect([again.intact, again.events[0]?.reason]).toEqual([undefined, "Corrupt"]);
});

test("what keeps a chore from its run is told once, and shown until that begins", async () => {
  const { marks, events, wakeAt } = await prune({ privileged: true });
  const message = marks.prune?.error ?? "";
  expect(events).toEqual([{ type: "Warning", reason: "PrivilegedMoverForbidden", message }]);
  expect(message).toContain("privileged");
  expect(wakeAt).toBe(NOW + 300_000);
  expect((await prune({ privileged: true, error: message })).events).toEqual([]);
});

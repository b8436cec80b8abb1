import { expect, test } from "vitest";
import type { Client } from "../../kube/client.ts";
import { Failure } from "../../kube/failure.ts";
import { RecordingClient } from "../../kube/testing/recording_client.ts";
import type { EventNote } from "../../kube/write/events.ts";
import { ok } from "../../lib/result.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { ReportedFailures } from "../reconcile/reported_failures.ts";
import { AT, NOW, taskPlan, working } from "../testing/samples.ts";
import { primeMeta } from "../volumes/populator/population_marks.ts";
import type { TaskDecision } from "../work/task_decision.ts";
import { decidePopulations } from "./populate/decide_populations.ts";
import type { ObservedClaim } from "./populate/observe_populations.ts";
import { actOnPopulations } from "./reconcile_restore.ts";
import type { Pinned } from "./restore.ts";
import type { RestorePorts } from "./restore_ports.ts";
import { claimOf, passive, RESTORES } from "./testing/restore_samples.ts";

const REFUSED = new Failure("structural", "Forbidden", "it may not create Jobs");
const PINNED: Pinned = { repository: { kind: "Repository", name: "nas" }, snapshotID: "k1", pinnedAt: AT };

/** Claims that are filled from a Restore, as they are looked at one time after another. */
function stage(names: readonly string[]) {
  let present = passive();
  let failure: Failure | undefined = REFUSED;
  let begun = {};
  const ran: string[] = [];
  const told: EventNote[] = [];
  const clock = new VirtualClock(NOW);
  const client = new RecordingClient(({ body }) => {
    const { patch } = body as { readonly patch: { readonly status: object } };
    const resourceVersion = String(Number(present.metadata.resourceVersion) + 1);
    const status = { ...present.status, ...patch.status };
    present = { ...present, metadata: { ...present.metadata, resourceVersion }, status };
    return present;
  });
  const tasks = {
    async carryOut({ record }: TaskDecision) {
      ran.push(record.job ?? "");
      if (failure && record.job === names[0]) throw failure;
    },
  };
  const ports = {
    api: RESTORES,
    client: client as unknown as Client,
    clock,
    tasks,
    reported: new ReportedFailures(clock),
    events: { event: (_: unknown, note: EventNote) => void told.push(note) },
  } as unknown as RestorePorts;
  const claimed = (name: string): ObservedClaim => {
    const claim = claimOf({ name, uid: `uid-${name}` });
    const source = { resource: RESTORES.resource, name: "again", uid: "uid-again" };
    const prime = claimOf({ ...primeMeta(claim, source), uid: `uid-prime-${name}` });
    const intents = [{ type: "Remove", job: {} }] as unknown as TaskDecision["intents"];
    const run = ok(taskPlan(`fill-${name}`, working, { record: { job: name, ...begun }, intents }));
    const filling = { resolution: ok({ type: "Pinned", pinned: PINNED } as const), run };
    const memory = { resolved: PINNED };
    return { name, claim, bound: undefined, prime, volume: undefined, memory, filling };
  };
  const look = () => {
    const claims = names.map(claimed);
    const observed = {
      name: "again",
      restore: present,
      api: RESTORES,
      problem: undefined,
      claims,
      now: clock.now(),
    };
    return actOnPopulations(ports, present, decidePopulations(observed), new AbortController().signal);
  };
  return {
    ran,
    told,
    clock,
    look,
    fail: (next: Failure | undefined) => {
      failure = next;
    },
    progress: () => {
      begun = { startedAt: AT };
    },
    get writes() {
      return client.writes.length;
    },
    get ready() {
      return present.status?.conditions?.find(({ type }) => type === "Ready");
    },
  };
}

test("what could not be done for a claim is told once, so that telling it does not begin it anew", async () => {
  const world = stage(["a", "b"]);
  await expect(world.look()).rejects.toBe(REFUSED);
  expect(world.ready?.reason).toBe("Forbidden");
  const { writes } = world;
  const said = world.told.length;
  const again = new Failure("structural", "Forbidden", "it may not create Jobs, request 2");
  world.fail(again);
  await expect(world.look()).rejects.toBe(again);
  expect([world.writes, world.told.length]).toEqual([writes, said]);
  expect(world.ready?.reason).toBe("Forbidden");
});

test("it stays told while the status changes for another claim's sake", async () => {
  const world = stage(["a", "b"]);
  await expect(world.look()).rejects.toBe(REFUSED);
  const said = world.told.length;
  world.progress();
  await expect(world.look()).rejects.toBe(REFUSED);
  await expect(world.look()).rejects.toBe(REFUSED);
  expect(world.told.length).toBe(said);
  expect(world.ready?.reason).toBe("Forbidden");
});

test("a claim is looked after whatever was just told of another one", async () => {
  const world = stage(["a", "b"]);
  await expect(world.look()).rejects.toBe(REFUSED);
  await expect(world.look()).rejects.toBe(REFUSED);
  expect(world.ran).toEqual(["a", "b", "a", "b"]);
});

test("another failure is told at once", async () => {
  const world = stage(["a"]);
  await expect(world.look()).rejects.toBe(REFUSED);
  const next = new Failure("structural", "PodSecurityDenied", "the pod is refused");
  world.fail(next);
  await expect(world.look()).rejects.toBe(next);
  expect(world.ready?.reason).toBe("PodSecurityDenied");
});

test.each([0, 60_000])("a failure that is over after %i ms is not told any longer", async (later) => {
  const world = stage(["a"]);
  await expect(world.look()).rejects.toBe(REFUSED);
  world.fail(undefined);
  await world.clock.advance(later);
  await world.look();
  expect(world.ready?.reason).not.toBe("Forbidden");
});

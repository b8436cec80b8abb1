import { afterEach, describe, expect, test } from "vitest";
import type { RunTask } from "../../../src/core/work/run_request.ts";
import { sampleTask } from "../../../src/core/work/testing/samples.ts";
import type { KubeObject } from "../../../src/kube/object.ts";
import type { CrashPoint } from "./crashing_sender.ts";
import type { Fate } from "./fake_node.ts";
import { RunWorld, type RunWorldOptions } from "./run_world.ts";

const identity = (path: string) => ({ username: "data", hostname: "shop", path });
const twoSources: Partial<RunTask> = {
  work: {
    ...sampleTask.work,
    work: {
      snapshot: {
        sources: [
          { name: "data", path: "/v/data", identity: identity("/data") },
          { name: "logs", path: "/v/logs", identity: identity("/logs") },
        ],
      },
    },
  },
};
const lender = { namespace: "platform", name: "creds" };
const lent: Partial<RunTask> = {
  ...twoSources,
  secrets: { password: { lent: lender, key: "password" } },
};

const prepared: RunWorldOptions = {
  task: { ...twoSources, startsBySignal: true },
  uses: ["startSignal"],
  go: true,
};

interface Story extends RunWorldOptions {
  readonly name: string;
  readonly outcome: "Succeeded" | "Failed";
  /** In the end, of the two that are wanted. */
  readonly snapshots: number;
  /** Runs of any kind whose movers were started. */
  readonly movers: number;
}

const vanishes = (sources: number): Fate => ({ type: "vanishes", sources });
const stories: readonly Story[] = [
  { name: "everything goes well", outcome: "Succeeded", snapshots: 2, movers: 1 },
  { name: "credentials are lent", task: lent, outcome: "Succeeded", snapshots: 2, movers: 1 },
  {
    name: "it is prepared and told to start",
    ...prepared,
    outcome: "Succeeded",
    snapshots: 2,
    movers: 1,
  },
  {
    name: "it is prepared, told to start, and lost half-way",
    ...prepared,
    fates: [{ type: "vanishes", sources: 1 }],
    outcome: "Succeeded",
    snapshots: 2,
    movers: 4,
  },
  {
    name: "the first attempt fails",
    fates: [{ type: "fails", class: "Unreachable" }],
    outcome: "Succeeded",
    snapshots: 2,
    movers: 3,
  },
  {
    name: "the first attempt fails half-way",
    fates: [{ type: "fails", class: "Forbidden", sources: 1 }],
    outcome: "Succeeded",
    snapshots: 2,
    movers: 4,
  },
  {
    name: "the report is lost after the work",
    fates: [vanishes(2)],
    outcome: "Succeeded",
    snapshots: 2,
    movers: 2,
  },
  { name: "the mover is lost half-way", fates: [vanishes(1)], outcome: "Succeeded", snapshots: 2, movers: 4 },
  {
    name: "the mover is lost before its work",
    fates: [vanishes(0)],
    outcome: "Succeeded",
    snapshots: 2,
    movers: 3,
  },
  {
    name: "memory runs out half-way",
    fates: [{ type: "runsOutOfMemory", sources: 1 }],
    outcome: "Succeeded",
    snapshots: 2,
    movers: 4,
  },
  {
    name: "the password is wrong",
    fates: [{ type: "fails", class: "WrongPassword" }],
    outcome: "Failed",
    snapshots: 0,
    movers: 1,
  },
  {
    name: "every attempt fails",
    fates: [0, 1, 2].map(() => ({ type: "fails", class: "Unreachable" })),
    outcome: "Failed",
    snapshots: 0,
    movers: 5,
  },
];

const worlds: RunWorld[] = [];
afterEach(() => {
  for (const world of worlds.splice(0)) world.close();
});

interface Seen {
  /** The UIDs that each object was ever seen with. */
  readonly uids: Map<string, Set<string>>;
}

/** What must hold at every moment, whoever died where. */
function checkMoment(objects: readonly KubeObject[], owner: string, seen: Seen): void {
  const uids = new Set([owner, ...objects.map(({ metadata }) => metadata.uid)]);
  for (const { kind, metadata } of objects) {
    const owners = metadata.ownerReferences ?? [];
    expect(owners.length, `${kind} ${metadata.name} has an owner`).toBeGreaterThan(0);
    for (const { uid } of owners) expect(uids, `the owner of ${kind} ${metadata.name}`).toContain(uid);
    if (kind === "Pod") continue;
    const name = `${kind} ${metadata.name}`;
    const known = seen.uids.get(name) ?? new Set();
    seen.uids.set(name, known.add(metadata.uid));
    expect(known.size, `${name} is made once`).toBe(1);
  }
  const live = objects.filter((object) => {
    const phase = (object as { status?: { phase?: string } }).status?.phase ?? "Pending";
    return object.kind === "Pod" && (phase === "Pending" || phase === "Running");
  });
  expect(live.length, "movers at once").toBeLessThanOrEqual(1);
}

async function tell(story: Story, crash?: CrashPoint): Promise<RunWorld> {
  const world = new RunWorld({ task: twoSources, ...story, ...(crash ? { crash } : {}) });
  worlds.push(world);
  await world.start();
  const { owner } = await world.task();
  const seen: Seen = { uids: new Map() };
  const record = await world.settle(async () => checkMoment(await world.objects(), owner.uid, seen));
  expect(record.outcome).toBe(story.outcome);
  expect(world.repository.snapshots.map(({ identity: { path } }) => path).toSorted()).toEqual(
    ["/data", "/logs"].slice(0, story.snapshots),
  );
  expect(world.node.started).toHaveLength(story.movers);
  expect(new Set(world.node.started).size).toBe(story.movers);
  expect(await world.leftovers(), "what is left when its time is over").toEqual([]);
  return world;
}

/** The full matrix dies everywhere, in both ways; the quick one a few times, elsewhere in each story. */
const FULL = process.env.HOLDFAST_LONG !== undefined;
const A_FEW = 2;

function crashPoints(requests: number, offset: number): readonly CrashPoint[] {
  const all = Array.from({ length: requests * 2 }, (_, n) => ({
    request: Math.floor(n / 2) + 1,
    carriedOut: n % 2 === 1,
  }));
  const every = FULL ? 1 : Math.ceil(all.length / A_FEW);
  return all.filter((_, n) => n % every === offset % every);
}

describe.each(stories)("when $name", { timeout: FULL ? 1_800_000 : 60_000 }, (story) => {
  test("the task ends as it should, wherever the operator dies", async () => {
    const { requests } = await tell(story);
    const points = crashPoints(requests, stories.indexOf(story));
    expect(points.length).toBeGreaterThan(1);
    for (const point of points) {
      await tell(story, point).catch((error) => {
        throw new Error(`the operator died at ${JSON.stringify(point)}`, { cause: error });
      });
      for (const world of worlds.splice(0)) world.close();
    }
  });
});

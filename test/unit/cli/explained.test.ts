import { describe, expect, test } from "vitest";
import { kopiurView as view } from "../../../src/apis/kopiur/view/kopiur_view.ts";
import { explained } from "../../../src/cli/explain/explained.ts";
import { surroundings } from "../../../src/cli/explain/surroundings.ts";
import { condition, NOW, native } from "../../../src/cli/testing/cli_samples.ts";
import type { ShownObject } from "../../../src/core/view/shown_object.ts";
import { ApiError } from "../../../src/kube/api_error.ts";
import type { KubeObject, ObjectName } from "../../../src/kube/object.ts";
import type { Resource } from "../../../src/kube/resource.ts";

const facts = { view, events: [], around: [], now: NOW };
const textOf = (object: ShownObject) => explained({ ...facts, object }).join("\n");

describe("explained()", () => {
  test("says what, since when and why", () => {
    const conditions = [
      condition("Ready", "False", "Queued", "It waits for its turn."),
      condition("SnapshotCreated", "False", "NotYet", "There is none."),
    ];
    expect(
      explained({ ...facts, object: native("Backup", "b", { status: { phase: "Pending", conditions } }) }),
    ).toEqual([
      "Backup b is Pending, for 1h.",
      "Because: It waits for its turn.",
      "SnapshotCreated is False (NotYet): There is none.",
      expect.stringContaining("What you can do: wait, or raise spec.concurrency.maxRuns"),
    ]);
  });

  test("tells the engine's own words, and what status says is wrong and nothing else does", () => {
    const failure = {
      errorClass: "EngineFailed",
      message: "it ended",
      retry: "transient",
      stderrTail: "file exists",
    };
    const conditions = [condition("Ready", "False", "Bad", "no class")];
    const object = native("Backup", "b", { status: { phase: "Failed", conditions, failure } });
    const lines = explained({ ...facts, object, wrong: ["no class", "not there: home/data"] });
    expect(lines).toContain("The engine's own words: file exists");
    expect(lines.filter((line) => line.startsWith("Wrong:"))).toEqual(["Wrong: not there: home/data"]);
  });

  test("an object that nobody looked at says so", () => {
    expect(textOf(native("Backup", "b"))).toContain("has no status yet");
  });

  test("a status about an earlier spec says so", () => {
    const object = native("Backup", "b", { status: { phase: "Pending", observedGeneration: 1 } });
    expect(textOf({ ...object, metadata: { ...object.metadata, generation: 2 } })).toContain(
      "earlier form of the spec",
    );
  });

  test("a deletion says what holds it", () => {
    const object = native("Backup", "b", { status: { phase: "Deleting" } });
    const metadata = {
      ...object.metadata,
      deletionTimestamp: "2026-05-24T11:00:00Z",
      finalizers: ["x/cleanup"],
    };
    expect(textOf({ ...object, metadata })).toContain(
      "being deleted since 1h ago; it goes when x/cleanup let it",
    );
  });

  test("a failure says of which class it is, what helps and where to read on", () => {
    const failure = {
      errorClass: "Full",
      message: "no room",
      remedy: "make room",
      retry: "structural",
      attempt: 2,
    };
    const status = { phase: "Failed", failure: { ...failure, at: "2026-05-24T11:30:00Z" }, logTail: "x" };
    const text = textOf(native("Backup", "b", { status }));
    expect(text).toContain("The last failure, 30m ago, in attempt 2, is of class Full: no room");
    expect(text).toContain("Backup b is Failed, for 30m.");
    expect(text).toContain("Its remedy: make room");
    expect(text).toContain("holdfast logs backup/b -n home");
  });

  const gone = { deletionTimestamp: "2026-05-24T11:00:00Z" };
  const next = {
    quick: { nextScheduledAt: "2026-05-25T01:00:00Z" },
    full: { nextScheduledAt: "2026-05-24T20:00:00Z" },
  };
  const UNTIL_EDIT = "It is not tried again by itself: holdfast retry";
  const SOON = "It is tried again soon, while it has attempts left.";
  test.each<[kind: string, retry: string, status: object, metadata: object, what: string]>([
    ["Backup", "transient", { phase: "Failed" }, {}, `${UNTIL_EDIT} backup`],
    ["Backup", "structural", { phase: "Failed" }, {}, `${UNTIL_EDIT} backup`],
    ["Restore", "transient", { phase: "Failed" }, {}, `${UNTIL_EDIT} restore`],
    ["Backup", "transient", { phase: "Running" }, {}, SOON],
    ["Restore", "transient", { phase: "Restoring" }, {}, SOON],
    ["Restore", "structural", { phase: "Resolving" }, {}, "every few minutes while it has attempts left"],
    ["Backup", "terminal", { phase: "Running" }, {}, "not tried again before something is edited"],
    [
      "Backup",
      "terminal",
      { phase: "Deleting" },
      gone,
      "A deletion that fails is tried again within an hour",
    ],
    ["Restore", "transient", { phase: "Failed" }, gone, "It is not tried again, as it is being deleted."],
    [
      "Repository",
      "terminal",
      { phase: "Failed" },
      {},
      "by itself, every five minutes; at once after an edit",
    ],
    ["ClusterRepository", "structural", { phase: "Degraded" }, {}, "by itself, every five minutes"],
    ["Repository", "transient", { phase: "Degraded" }, {}, "by itself, after half a minute at first"],
    [
      "Maintenance",
      "terminal",
      { phase: "Failed", ...next },
      {},
      "next run by schedule, at 2026-05-24T20:00:00Z",
    ],
    ["Maintenance", "transient", { phase: "Failed" }, {}, "not tried again by itself, as no run is due"],
    ["Maintenance", "transient", { phase: "Running", ...next }, {}, SOON],
  ])("a %s with a %s failure and %j %j says what comes next", (kind, retry, status, more, what) => {
    const failure = { errorClass: "Full", message: "no room", retry };
    const object = native(kind, "x", { status: { ...status, failure } });
    expect(textOf({ ...object, metadata: { ...object.metadata, ...more } })).toContain(what);
  });

  test.each([
    ["Backup", "Running", "holdfast logs -f backup/x -n home; end it: holdfast cancel backup/x -n home"],
    ["Restore", "Restoring", "holdfast logs -f restore/x -n home; end it: holdfast cancel restore/x -n home"],
    ["BackupSchedule", "Suspended", "holdfast resume backupschedule/x -n home"],
  ])("of a %s that is %s it shows the commands for it, with the namespace", (kind, phase, what) => {
    expect(textOf(native(kind, "x", { status: { phase } }))).toContain(what);
  });

  test("held deletions show the very command that lets them go on", () => {
    const status = {
      phase: "Ready",
      conditions: [condition("DeletionsHeld", "True", "DeletionHeld", "30 at once")],
      deletions: { acknowledgeToken: "t1" },
    };
    expect(textOf(native("Repository", "r", { status }))).toMatch(
      /kubectl annotate --overwrite repository\.kopiur\.home-operations\.com r -n home \S*acknowledge-deletions=t1$/,
    );
  });

  test("the last events are told, the newest last", () => {
    const event = (reason: string, lastTimestamp: string) =>
      ({
        ...native<ShownObject>("Event", reason),
        involvedObject: {},
        type: "Normal",
        reason,
        message: "m",
        lastTimestamp,
        count: 2,
      }) as never;
    const events = [event("B", "2026-05-24T11:59:00Z"), event("A", "2026-05-24T11:58:00Z")];
    expect(
      explained({ ...facts, events, object: native("Backup", "b", { status: { phase: "Pending" } }) }).slice(
        1,
      ),
    ).toEqual(["2m ago, A (2 times): m", "1m ago, B (2 times): m"]);
  });
});

describe("surroundings()", () => {
  const reader = (objects: Readonly<Record<string, ShownObject>>) => ({
    async get<T extends KubeObject>(resource: Resource<T>, { name }: ObjectName): Promise<T> {
      const found: KubeObject | undefined = objects[`${resource.kind}/${name}`];
      if (!found) throw new ApiError({ request: "GET", code: 404, status: { reason: "NotFound" } });
      return found as T;
    },
  });
  const signal = new AbortController().signal;
  const backup = native("Backup", "b", { spec: { configRef: { name: "c" } } });
  const config = native("BackupConfig", "c", {
    spec: { repository: { kind: "Repository", name: "r" } },
    status: { phase: "Ready" },
  });

  test("what does not exist is named", async () => {
    expect(await surroundings({ reader: reader({}), view, signal }, backup)).toEqual([
      "It names BackupConfig c, which does not exist.",
    ]);
  });

  test("a repository behind a recipe counts too", async () => {
    const repository = native("Repository", "r", {
      status: {
        phase: "Failed",
        failure: { errorClass: "Unreachable", message: "no route", retry: "transient" },
      },
    });
    const found = await surroundings(
      { reader: reader({ "BackupConfig/c": config, "Repository/r": repository }), view, signal },
      backup,
    );
    expect(found).toEqual(["It names Repository r, which is Failed: no route"]);
  });

  test("other errors are not hidden", async () => {
    const failing = { get: () => Promise.reject(new Error("away")) };
    await expect(surroundings({ reader: failing, view, signal }, backup)).rejects.toThrow("away");
  });
});

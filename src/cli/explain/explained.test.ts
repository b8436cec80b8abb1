import { describe, expect, test } from "vitest";
import { ApiError } from "../../kube/api_error.ts";
import type { KubeObject, ObjectName } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import type { NativeObject } from "../frame/kinds.ts";
import { condition, NOW, native } from "../testing/cli_samples.ts";
import { explained } from "./explained.ts";
import { surroundings } from "./surroundings.ts";

const facts = { events: [], around: [], now: NOW };
const textOf = (object: NativeObject) => explained({ ...facts, object }).join("\n");

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

  test.each([
    ["terminal", "not tried again before something is edited"],
    ["structural", "every few minutes"],
    ["transient", "tried again soon"],
  ])("a %s failure says what comes next", (retry, what) => {
    const failure = {
      errorClass: "Full",
      message: "no room",
      remedy: "make room",
      retry,
      attempt: 2,
      at: "2026-05-24T11:30:00Z",
    };
    const text = textOf(native("Backup", "b", { status: { phase: "Failed", failure, logTail: "x" } }));
    expect(text).toContain("The last failure, 30m ago, in attempt 2, is of class Full: no room");
    expect(text).toContain(what);
    expect(text).toContain("Its remedy: make room");
    expect(text).toContain("holdfast logs backup/b");
  });

  test("held deletions show the very command that lets them go on", () => {
    const status = {
      phase: "Ready",
      conditions: [condition("DeletionsHeld", "True", "DeletionHeld", "30 at once")],
      deletions: { acknowledgeToken: "t1" },
    };
    expect(textOf(native("Repository", "r", { status }))).toContain("acknowledge-deletions=t1");
  });

  test("the last events are told, the newest last", () => {
    const event = (reason: string, lastTimestamp: string) =>
      ({
        ...native<NativeObject>("Event", reason),
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
  const reader = (objects: Readonly<Record<string, NativeObject>>) => ({
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
    expect(await surroundings(reader({}), backup, signal)).toEqual([
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
      reader({ "BackupConfig/c": config, "Repository/r": repository }),
      backup,
      signal,
    );
    expect(found).toEqual(["It names Repository r, which is Failed: no route"]);
  });

  test("other errors are not hidden", async () => {
    const failing = { get: () => Promise.reject(new Error("away")) };
    await expect(surroundings(failing, backup, signal)).rejects.toThrow("away");
  });
});

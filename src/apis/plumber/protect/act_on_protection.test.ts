import { beforeEach, describe, expect, test } from "vitest";
import { backupConfigResource } from "../../../kinds/kopiur/generated/backup_config.ts";
import { backupScheduleResource } from "../../../kinds/kopiur/generated/backup_schedule.ts";
import { restoreResource } from "../../../kinds/kopiur/generated/restore.ts";
import { ApiError } from "../../../kube/api_error.ts";
import type { KubeObject } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";
import type { EventNote } from "../../../kube/write/events.ts";
import type { Wanted } from "../output/output.ts";
import { NO_TALLY, type PlumberTally } from "../plumber_counters.ts";
import { type ActPorts, actOnProtection } from "./act_on_protection.ts";
import type { Intent } from "./decide_protection.ts";

const LABELS = { "app.kubernetes.io/managed-by": "pvc-plumber", "pvc-plumber.io/tier": "hourly" };
const pvc = { kind: "PersistentVolumeClaim", metadata: { namespace: "media", name: "data", uid: "u" } };
const wanted = (resource: Resource): Wanted => ({
  resource,
  object: { metadata: { namespace: "media", name: "data", labels: LABELS, annotations: {} }, spec: { a: 1 } },
});
const present = (labels: object) =>
  ({
    kind: "Restore",
    metadata: { namespace: "media", name: "data", uid: "own", resourceVersion: "7", labels },
  }) as unknown as KubeObject;

let written: unknown[];
let told: EventNote[];
let counted: string[];
/** What the API server answers for a kind. */
let refusals: Readonly<Record<string, Error>>;

beforeEach(() => {
  [written, told, counted, refusals] = [[], [], [], {}];
});

async function act(intents: readonly Intent[], state?: string): Promise<void> {
  const write = async (verb: string, { kind }: Resource, ...rest: readonly unknown[]) => {
    if (refusals[kind]) throw refusals[kind];
    written.push([verb, kind, ...rest]);
    return {} as never;
  };
  const tally: PlumberTally = {
    ...NO_TALLY,
    generated: (kind) => void counted.push(`made ${kind}`),
    failed: (kind, reason) => void counted.push(`${kind} ${reason}`),
  };
  const client: ActPorts["client"] = {
    create: async (resource, object) => write("create", resource, object.metadata.name),
    patch: async (resource, _, { patch }) => write("patch", resource, patch),
    delete: async (resource, _, options) => write("delete", resource, options?.uid),
  };
  const annotations = state === undefined ? {} : { "pvc-plumber.io/source-state": state };
  const claim = { ...pvc, metadata: { ...pvc.metadata, annotations } } as unknown as KubeObject;
  await actOnProtection({ client, tally, tell: (note) => void told.push(note) }, { pvc: claim, intents }, {});
}

const refused = (code: number, reason: string) =>
  new ApiError({ request: "POST /a", code, status: { reason, message: `${reason}: no` } });
const ANNOTATE: Intent = { type: "Annotate", annotations: { "pvc-plumber.io/source-state": "ready" } };
const stateOf = (value: string) => [
  "patch",
  "PersistentVolumeClaim",
  { metadata: { annotations: { "pvc-plumber.io/source-state": value } } },
];

describe("actOnProtection()", () => {
  test("creates, counts and tells", async () => {
    await act([{ type: "Create", wanted: wanted(restoreResource) }, ANNOTATE]);
    expect(written).toEqual([["create", "Restore", "data"], stateOf("ready")]);
    expect(counted).toEqual(["made Restore"]);
    expect(told).toEqual([
      {
        type: "Normal",
        reason: "GeneratedResourceCreated",
        message: "The operator created Restore data.",
      },
    ]);
  });

  test("says nothing of an object that was there already", async () => {
    refusals = { Restore: refused(409, "AlreadyExists") };
    await act([{ type: "Create", wanted: wanted(restoreResource) }]);
    expect([written, told, counted]).toEqual([[], [], []]);
  });

  test.each([
    [LABELS, "GeneratedResourceDriftCorrected"],
    [{ ...LABELS, "pvc-plumber.io/tier": "daily" }, "GeneratedResourceUpdated"],
  ])("corrects the object that was looked at, of labels %j: %s", async (labels, reason) => {
    await act([{ type: "Correct", wanted: wanted(restoreResource), present: present(labels) }]);
    const annotations = { "pvc-plumber.io/unused-since": null };
    const metadata = { resourceVersion: "7", labels: LABELS, annotations };
    expect(written).toEqual([["patch", "Restore", { metadata, spec: { a: 1 } }]]);
    expect(told.map((note) => note.reason)).toEqual([reason]);
  });

  test("deletes the object that was looked at, and no other of its name", async () => {
    await act([{ type: "Delete", resource: backupScheduleResource, present: present(LABELS) }]);
    expect(written).toEqual([["delete", "BackupSchedule", "own"]]);
  });

  test("makes one Backup for one request", async () => {
    const ask: Intent = { type: "BackUp", config: "data", trigger: "now" };
    await act([ask]);
    await act([ask]);
    expect(written[0]).toEqual(["create", "Backup", expect.stringMatching(/^data-manual-/)]);
    expect(written[1]).toEqual(written[0]);
    refusals = { Backup: refused(409, "AlreadyExists") };
    await act([ask]);
  });

  test("carries out the rest where one fails, and the PVC says so", async () => {
    refusals = { BackupConfig: refused(403, "Forbidden") };
    const intents: readonly Intent[] = [
      { type: "Create", wanted: wanted(backupConfigResource) },
      { type: "Create", wanted: wanted(restoreResource) },
      ANNOTATE,
    ];
    await expect(act(intents, "waiting_for_pvc_bound")).rejects.toThrow("Forbidden");
    expect(written).toEqual([stateOf("error"), ["create", "Restore", "data"]]);
    expect(counted).toEqual(["BackupConfig Forbidden", "made Restore"]);
    expect(told[0]).toMatchObject({
      type: "Warning",
      reason: "SourceGated",
      message: expect.stringMatching(
        /^The operator could not write a BackupConfig: .*The schedule stays as it was; the operator tries again\.$/,
      ),
    });
    written = [];
    await expect(act(intents, "error")).rejects.toThrow("Forbidden");
    expect(written).toEqual([["create", "Restore", "data"]]);
  });

  test("takes a write of somebody else for no error", async () => {
    refusals = { Restore: refused(409, "Conflict") };
    const correct: Intent = {
      type: "Correct",
      wanted: wanted(restoreResource),
      present: present(LABELS),
    };
    await expect(act([correct])).rejects.toThrow("Conflict");
    expect([written, told]).toEqual([[], []]);
  });
});

import { expect, test } from "vitest";
import { ACCEPTED, ANNOTATIONS } from "../../../kinds/autorestore/annotations.ts";
import { GROUP } from "../../../kinds/autorestore/group.ts";
import { LABELS } from "../../../kinds/autorestore/labels.ts";
import { ApiError } from "../../../kube/api_error.ts";
import type { Client } from "../../../kube/client.ts";
import type { KubeObject } from "../../../kube/object.ts";
import { type RecordedCall, RecordingClient } from "../../../kube/testing/recording_client.ts";
import { claimed, sampleBackup, sampleClaim, sampleConfig, sampleRepository } from "../testing/samples.ts";
import { actConfig, release } from "./act_config.ts";
import type { ConfigDecision } from "./decide_config.ts";
import { TRIGGER } from "./drafts.ts";

const NOTHING: ConfigDecision = {
  repositories: [],
  edited: [],
  claim: [],
  release: [],
  backups: [],
  restores: [],
  accept: [],
  settle: [],
  decided: [],
  surplus: [],
  targets: [],
  status: {},
  news: [],
  events: [],
};

async function acting(
  decision: Partial<ConfigDecision>,
  answer: (call: RecordedCall) => unknown = () => undefined,
  config = sampleConfig(),
) {
  const client = new RecordingClient(answer);
  await actConfig(client as unknown as Client, config, { ...NOTHING, ...decision }, {});
  return client.calls;
}

const patchOf = ({ body }: RecordedCall) => (body as { patch: { metadata: Record<string, unknown> } }).patch;

const refusal = (reason: string) => new ApiError({ request: "it", code: 409, status: { reason } as never });

/** An API server that holds one PVC, and refuses what was decided on an older one. */
function oneClaim() {
  let version = 7;
  const labels: Record<string, unknown> = {};
  return {
    labels,
    answer: (call: RecordedCall) => {
      const { metadata } = patchOf(call);
      if (metadata.resourceVersion !== String(version)) {
        throw refusal("Conflict");
      }
      version += 1;
      Object.assign(labels, metadata.labels);
    },
  };
}

test("of two BackupConfigs that claim a PVC at once, one gets it, and the other goes on", async () => {
  const { labels, answer } = oneClaim();
  const claim = [sampleClaim("data")];
  await acting({ claim }, answer, sampleConfig({}, { name: "first" }));
  await acting({ claim }, answer, sampleConfig({}, { name: "second" }));
  expect(labels).toEqual({ [LABELS.managedBy]: "home.first" });
});

test("a PVC that is released is free for the next one", async () => {
  const client = new RecordingClient();
  expect(await release(client, claimed("data"), {})).toBe(true);
  expect(client.calls.map(patchOf)).toMatchObject([
    {
      metadata: {
        resourceVersion: "7",
        labels: { [LABELS.managedBy]: null },
        annotations: { [ANNOTATIONS.managedBy]: null },
      },
    },
  ]);
});

test("a PVC that has changed meanwhile is not released yet", async () => {
  const client = new RecordingClient(() => {
    throw refusal("Conflict");
  });
  expect(await release(client, claimed("data"), {})).toBe(false);
});

test("what an annotation asks for is there before its mark goes, and the next one is accepted last", async () => {
  const object = claimed("data");
  const draft = { metadata: { namespace: "home", name: "x" } } as never;
  const calls = await acting({
    restores: [draft],
    backups: [draft],
    settle: [{ object, annotations: { [ACCEPTED.backup]: null }, mark: "m" }],
    accept: [{ object, annotations: { [ACCEPTED.restore]: "20260524-120000 now" } }],
  });
  expect(calls.map(({ verb, resource }) => `${verb} ${resource.kind}`)).toEqual([
    "create ResticRestore",
    "create ResticBackup",
    "patch PersistentVolumeClaim",
    "patch PersistentVolumeClaim",
  ]);
  const [settled, accepted] = calls.slice(2).map((call) => patchOf(call).metadata);
  // A concurrent edit of the PVC must not keep the mark, nor may one annotation be accepted twice.
  expect(settled).not.toHaveProperty("resourceVersion");
  expect(accepted).toMatchObject({ resourceVersion: "7", uid: "uid-data" });
});

test("an operator that dies before it notes an auto-restore makes the same one again", async () => {
  const draft = { metadata: { namespace: "home", name: "auto-data-uid" } } as never;
  const exists = () => {
    throw refusal("AlreadyExists");
  };
  const calls = await acting({ restores: [draft], decided: [claimed("data")] }, ({ verb }) =>
    verb === "create" ? exists() : undefined,
  );
  expect(calls.map(({ verb }) => verb)).toEqual(["create", "patch"]);
  expect(calls.slice(1).map(patchOf)).toMatchObject([
    { metadata: { annotations: { [ANNOTATIONS.autoRestore]: "uid-data" } } },
  ]);
});

test("what retention deletes is marked first, and only that very object goes", async () => {
  const calls = await acting({ surplus: [sampleBackup("old")] });
  expect(calls.map(({ verb }) => verb)).toEqual(["patch", "delete"]);
  expect(calls.slice(0, 1).map(patchOf)).toMatchObject([
    { metadata: { annotations: { [`${GROUP}/deletion-reason`]: "Retention" } } },
  ]);
  expect(calls[1]?.options).toMatchObject({ uid: "uid-old" });
});

test("the repository of an edited target is written as a whole", async () => {
  const edited: KubeObject = sampleRepository();
  const calls = await acting({ edited: [sampleRepository()] });
  expect(calls).toMatchObject([{ verb: "update", body: edited }]);
});

const denied = new ApiError({
  request: "create",
  code: 403,
  status: { reason: "Forbidden", message: "exceeded quota" },
});

/** Two PVCs of one namespace, and the BackupConfig for both, whose annotations are acted on; and what was written. */
async function actingWhere(throwing: (call: RecordedCall) => unknown) {
  const draft = (name: string, mark: string) =>
    ({ metadata: { namespace: "home", name, annotations: { [TRIGGER]: mark } } }) as never;
  const auto = (uid: string) =>
    ({
      metadata: { namespace: "home", name: uid, annotations: { [ANNOTATIONS.autoRestore]: uid } },
    }) as never;
  const config = { ...sampleConfig(), kind: "BackupConfig" };
  const settle = (
    [
      ["a", claimed("a")],
      ["b", claimed("b")],
      ["all", config],
    ] as const
  ).map(([mark, object]) => ({ object, annotations: { [ACCEPTED.backup]: null }, mark }));
  const client = new RecordingClient(throwing);
  const decision = {
    ...NOTHING,
    claim: [sampleClaim("new")],
    restores: [auto("uid-a"), auto("uid-b")],
    backups: [draft("of-a", "a"), draft("of-b", "b"), draft("all-a", "all"), draft("all-b", "all")],
    decided: [claimed("a"), claimed("b")],
    settle,
    accept: [{ object: claimed("a"), annotations: { [ACCEPTED.restore]: "20260524-120000 now" } }],
  };
  const acting = actConfig(client as unknown as Client, sampleConfig(), decision, {});
  const acted = await acting.catch((error) => ({
    thrown: error,
    settled: [],
    events: [],
    refused: undefined,
  }));
  const written = client.calls.map(
    ({ verb, resource, name, body }) =>
      `${verb} ${resource.kind} ${name?.name ?? (body as KubeObject).metadata.name}`,
  );
  return { ...acted, written };
}
const making = ({ verb, body }: RecordedCall, ...names: readonly string[]) =>
  verb === "create" && names.includes((body as KubeObject).metadata.name);

test("a write that the API server refuses holds up the marks of what asked for it alone", async () => {
  const { refused, written, settled } = await actingWhere((call) => {
    if (making(call, "uid-a", "all-b", "of-a")) throw denied;
  });
  expect(refused).toEqual({ error: denied, kept: [] });
  expect(settled).toEqual(["b"]);
  expect(written.filter((one) => one.startsWith("patch"))).toEqual([
    "patch PersistentVolumeClaim new",
    // The auto-restore of the one, and its annotation; then what is only accepted, which loses nothing.
    "patch PersistentVolumeClaim b",
    "patch PersistentVolumeClaim b",
    "patch PersistentVolumeClaim a",
  ]);
});

const invalid = new ApiError({
  request: "create",
  code: 422,
  status: { reason: "Invalid", message: "the name is too long" },
});

test("what the API server can never take is told, and done with", async () => {
  const { refused, settled, events } = await actingWhere((call) => {
    if (making(call, "of-a")) throw invalid;
  });
  expect([refused, settled]).toEqual([undefined, ["a", "b", "all"]]);
  expect(events).toEqual([
    {
      type: "Warning",
      reason: "AnnotationInvalid",
      message:
        "The API server takes no ResticBackup home/of-a, which an annotation asks for: the name is too long. Nothing is made for it. Annotate again with another value.",
    },
  ]);
});

test("an automatic restore that the API server does not take is tried again", async () => {
  const { refused, written } = await actingWhere((call) => {
    if (making(call, "uid-a")) throw invalid;
  });
  expect(refused).toEqual({ error: invalid, kept: [] });
  expect(written.filter((one) => one === "patch PersistentVolumeClaim a")).toHaveLength(2);
});

test.each([
  ["of another annotation", "z", ["NameTaken"]],
  ["of the same one, made before", "a", []],
])("a backup whose name is one %s", async (_, mark, reasons) => {
  const { events, settled } = await actingWhere((call) => {
    if (making(call, "of-a")) throw refusal("AlreadyExists");
    const annotations = { [TRIGGER]: mark };
    return { kind: "ResticBackup", metadata: { name: "of-a", annotations } };
  });
  expect(events.map(({ reason }) => reason)).toEqual(reasons);
  expect(settled).toContain("a");
});

test("a PVC that may not be claimed does not keep the others from their backups", async () => {
  const { refused, written } = await actingWhere(({ verb, body }) => {
    if (verb === "patch" && JSON.stringify(body).includes(LABELS.managedBy)) throw denied;
  });
  expect(refused).toEqual({ error: denied, kept: [] });
  expect(written).toContain("create ResticBackup of-a");
  // What their annotations asked for was made, so these are over.
  expect(written).toContain("patch BackupConfig all");
});

test("a backup that retention may not delete is one that stays", async () => {
  const surplus = [sampleBackup("old"), sampleBackup("older")];
  const client = new RecordingClient(({ verb, name }) => {
    if (verb === "delete" && name?.name === "old") throw denied;
  });
  const acted = await actConfig(client as never, sampleConfig(), { ...NOTHING, surplus }, {});
  expect(acted.refused).toEqual({ error: denied, kept: surplus.slice(0, 1) });
});

test("an API server that does not answer is not asked for the rest", async () => {
  const away = new Error("ECONNREFUSED");
  const acted = await actingWhere(() => {
    throw away;
  });
  const { written } = acted;
  expect(acted).toMatchObject({ thrown: away });
  expect(written).toHaveLength(1);
});

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
  await release(client, claimed("data"), {});
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

/** PVCs of two namespaces whose annotations are acted on, and what was written. */
async function actingWhere(throwing: (call: RecordedCall) => unknown) {
  const other = (name: string) => {
    const { metadata, ...rest } = claimed(name);
    return { ...rest, metadata: { ...metadata, namespace: "away" } };
  };
  const draft = (namespace: string) => ({ metadata: { namespace, name: "x" } }) as never;
  const settle = [claimed("data"), other("data"), { ...sampleConfig(), kind: "BackupConfig" }].map(
    (object) => ({ object, annotations: { [ACCEPTED.backup]: null }, mark: "m" }),
  );
  const client = new RecordingClient(throwing);
  const decision = {
    ...NOTHING,
    claim: [sampleClaim("new")],
    backups: [draft("home"), draft("away")],
    decided: [claimed("data"), other("data")],
    settle,
    accept: settle,
  };
  const acted = actConfig(client as unknown as Client, sampleConfig(), decision, {});
  const refused = await acted.catch((error) => ({ thrown: error }));
  const written = client.calls.map(
    ({ verb, resource, name, body }) =>
      `${verb} ${resource.kind} ${name?.namespace ?? (body as KubeObject).metadata.namespace}`,
  );
  return { refused, written };
}

test("a write that the API server refuses holds up the PVCs of its namespace alone", async () => {
  const inHome = ({ verb, body }: RecordedCall) =>
    verb === "create" && (body as KubeObject).metadata.namespace === "home";
  const { refused, written } = await actingWhere((call) => {
    if (inHome(call)) throw denied;
  });
  expect(refused).toEqual({ error: denied, kept: [] });
  expect(written).toEqual([
    "patch PersistentVolumeClaim home",
    "create ResticBackup home",
    "create ResticBackup away",
    // No mark goes where something was refused, nor that of the BackupConfig, which may have asked for it.
    ...Array(3).fill("patch PersistentVolumeClaim away"),
  ]);
});

test("a PVC that may not be claimed does not keep the others from their backups", async () => {
  const { refused, written } = await actingWhere(({ verb, body }) => {
    if (verb === "patch" && JSON.stringify(body).includes(LABELS.managedBy)) throw denied;
  });
  expect(refused).toEqual({ error: denied, kept: [] });
  expect(written).toContain("create ResticBackup home");
  expect(written).toContain("create ResticBackup away");
  // What their annotations asked for was made, so these are over.
  expect(written).toContain("patch BackupConfig home");
});

test("a backup that retention may not delete is one that stays", async () => {
  const surplus = [sampleBackup("old"), sampleBackup("older")];
  const client = new RecordingClient(({ verb, name }) => {
    if (verb === "delete" && name?.name === "old") throw denied;
  });
  const refused = await actConfig(client as never, sampleConfig(), { ...NOTHING, surplus }, {});
  expect(refused).toEqual({ error: denied, kept: surplus.slice(0, 1) });
});

test("an API server that does not answer is not asked for the rest", async () => {
  const away = new Error("ECONNREFUSED");
  const { refused, written } = await actingWhere(() => {
    throw away;
  });
  expect(refused).toEqual({ thrown: away });
  expect(written).toHaveLength(1);
});

import { afterAll, beforeAll, expect, test } from "vitest";
import { migrate } from "../../../src/cli/migrate/migration.ts";
import { ReplicationDestinations, ReplicationSources } from "../../../src/cli/migrate/volsync.ts";
import { backupConfigResource } from "../../../src/kinds/kopiur/generated/backup_config.ts";
import { backupScheduleResource } from "../../../src/kinds/kopiur/generated/backup_schedule.ts";
import { repositoryResource } from "../../../src/kinds/kopiur/generated/repository.ts";
import { restoreResource } from "../../../src/kinds/kopiur/generated/restore.ts";
import { Namespaces, Secrets } from "../../../src/kube/builtin.ts";
import type { Draft, KubeObject } from "../../../src/kube/object.ts";
import type { Resource } from "../../../src/kube/resource.ts";
import { isRecord } from "../../../src/lib/json.ts";
import { installCrds } from "../../scenarios/install_crds.ts";
import { VOLSYNC_CRDS } from "../../scenarios/volsync_crds.ts";
import { CliGround } from "./cli_ground.ts";

/* The migration of a cluster that has VolSync's CRDs, and nothing that runs. */

let ground: CliGround;

beforeAll(async () => {
  ground = await CliGround.open();
  await installCrds(ground.client, VOLSYNC_CRDS, new AbortController().signal);
  while (!(await ground.client.serves(ReplicationDestinations))) await new Promise(setImmediate);
}, 60_000);

afterAll(() => ground[Symbol.asyncDispose]());

const OURS: readonly Resource[] = [
  repositoryResource,
  backupConfigResource,
  backupScheduleResource,
  restoreResource,
];

async function put(resource: Resource, namespace: string, name: string, more: object): Promise<void> {
  await ground.client.create(resource, { metadata: { namespace, name }, ...more } as Draft<KubeObject>);
}

/** A namespace in which VolSync backs up photos. */
async function furnished(namespace: string, source: object = { paused: true }): Promise<void> {
  await ground.client.create(Namespaces, { metadata: { name: namespace } });
  const RESTIC_REPOSITORY = "s3:http://minio.lan:9000/backups/photos";
  await put(Secrets, namespace, "store", { stringData: { RESTIC_REPOSITORY, RESTIC_PASSWORD: "hush" } });
  await put(ReplicationSources, namespace, "photos", {
    spec: {
      sourcePVC: "photos",
      trigger: { schedule: "17 3 * * *" },
      restic: { repository: "store", copyMethod: "Direct", retain: { daily: 7 } },
      ...source,
    },
  });
  await put(ReplicationDestinations, namespace, "photos-dst", {
    spec: { restic: { repository: "store", copyMethod: "Direct", destinationPVC: "photos" } },
  });
}

/** Everything of ours in a namespace, as kind/name@version. */
async function stored(namespace: string): Promise<readonly string[]> {
  const lists = await Promise.all(OURS.map((kind) => ground.client.list(kind, { namespace })));
  return lists
    .flatMap(({ items }) => items)
    .map(({ kind, metadata }) => `${kind}/${metadata.name}@${metadata.resourceVersion}`);
}

test("without --apply everything is printed, and nothing is written", async () => {
  await furnished("dry");
  const { code, stdout, stderr } = await ground.run("migrate volsync -n dry");
  expect(code).toBe(0);
  expect(stdout.match(/^kind: .*$/gm)).toEqual([
    "kind: Repository",
    "kind: BackupConfig",
    "kind: BackupSchedule",
    "kind: Restore",
  ]);
  expect(stderr).toContain("✓ spec.restic.retain.daily → BackupConfig spec.retention.keepDaily");
  expect(stdout + stderr).not.toContain("hush");
  expect(await stored("dry")).toEqual([]);
});

test("with --apply it is written once, however often it is asked for", async () => {
  await furnished("live");
  const first = await ground.run("migrate volsync -n live --apply");
  expect(first).toMatchObject({ code: 0, stdout: expect.stringMatching(/^apiVersion: .*\nkind: Restore\n/) });
  expect(first.stderr).toContain("Repository live/store is applied\n");
  expect(first.stderr).toContain("restore/photos-dst is not applied, as it writes data at once");
  const written = await stored("live");
  expect(written.map((one) => one.split("@")[0])).toEqual([
    "Repository/store",
    "BackupConfig/photos",
    "BackupSchedule/photos",
  ]);
  const repository = await ground.client.get(repositoryResource, { namespace: "live", name: "store" });
  expect(repository.spec).toMatchObject({ engine: "restic", create: { enabled: false } });
  const again = await ground.run("migrate volsync -n live --apply");
  expect(again).toMatchObject({ code: 0 });
  expect(again.stderr).toContain("BackupSchedule live/photos is applied already\n");
  expect(await stored("live")).toEqual(written);
});

test("what somebody changed since stays as it is", async () => {
  await furnished("edited");
  await ground.run("migrate volsync -n edited --apply");
  expect(await ground.run("resume schedule/photos -n edited")).toMatchObject({ code: 0 });
  const again = await ground.run("migrate volsync -n edited --apply");
  expect(again).toMatchObject({ code: 0 });
  expect(again.stderr).toContain(
    "BackupSchedule edited/photos stays as it is: since the migration before, somebody changed spec.schedule.suspend (by holdfast-cli).",
  );
  const { spec } = await ground.client.get(backupScheduleResource, { namespace: "edited", name: "photos" });
  expect(spec.schedule.suspend).toBe(false);
});

test("what somebody removed since is not put back", async () => {
  await furnished("pruned");
  await ground.run("migrate volsync -n pruned --apply");
  const name = { namespace: "pruned", name: "photos" };
  const patch = [{ op: "remove", path: "/spec/retention" }] as const;
  await ground.client.patch(backupConfigResource, name, { type: "json", patch });
  const again = await ground.run("migrate volsync -n pruned --apply");
  expect(again).toMatchObject({ code: 0 });
  expect(again.stderr).toContain(
    "BackupConfig pruned/photos stays as it is: it would change spec.retention.\n",
  );
  expect(again.stderr).toContain("BackupSchedule pruned/photos is applied already\n");
  expect((await ground.client.get(backupConfigResource, name)).spec.retention).toBeUndefined();
});

test("an object of somebody's own stops all of it", async () => {
  await furnished("taken");
  const spec = { repository: { name: "mine" }, sources: [{ pvc: { name: "photos" } }], copyMethod: "Direct" };
  await put(backupConfigResource, "taken", "photos", { spec });
  const { code, stderr } = await ground.run("migrate volsync -n taken --apply");
  expect(code).toBe(1);
  expect(stderr).toContain("why: No migration made BackupConfig taken/photos.");
  expect((await stored("taken")).map((one) => one.split("@")[0])).toEqual(["BackupConfig/photos"]);
});

test("what the cluster refuses stops all of it", async () => {
  await furnished("refused", {
    paused: true,
    restic: { repository: "store", copyMethod: "Direct", retain: { daily: -7 } },
  });
  const { code, stderr } = await ground.run("migrate volsync -n refused --apply");
  expect([code, stderr]).toEqual([4, expect.stringContaining("keepDaily")]);
  expect(await stored("refused")).toEqual([]);
});

test("beside a source that still runs nothing is written", async () => {
  await furnished("running", {});
  const { code, stderr } = await ground.run("migrate volsync -n running --apply");
  expect([code, stderr]).toEqual([1, expect.stringContaining("not paused: running/photos")]);
  expect(await stored("running")).toEqual([]);
});

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

/** A value for every field of a schema. */
function filled({ type, properties, items }: Schema): unknown {
  if (properties)
    return Object.fromEntries(Object.entries(properties).map(([name, of]) => [name, filled(of)]));
  if (type === "array") return [items ? filled(items) : "x"];
  if (type === "object") return { some: "thing" };
  if (type === "boolean") return true;
  return type === "integer" ? 1 : "1Gi";
}

test.each(
  VOLSYNC_CRDS.flatMap(({ spec }) =>
    ["restic", "kopia"].map(
      (mover) => [(spec as { names: { kind: string } }).names.kind, mover, spec] as const,
    ),
  ),
)("of a %s with %s, no field is left to guess", (kind, mover, crd) => {
  const { versions } = crd as { versions: readonly { schema: { openAPIV3Schema: Schema } }[] };
  const all = filled(versions[0]?.schema.openAPIV3Schema.properties?.spec ?? {});
  if (!isRecord(all)) throw new TypeError("the CRD has no spec");
  const others = ["restic", "kopia", "rclone"].filter((name) => name !== mover);
  const spec = Object.fromEntries(Object.entries(all).filter(([name]) => !others.includes(name)));
  const metadata = { namespace: "n", name: "all" };
  const object = { apiVersion: "volsync.backube/v1alpha1", kind, metadata, spec } as unknown as KubeObject;
  const { accounts } = migrate({ objects: [object], addresses: new Map() });
  const guessed = accounts
    .flatMap(({ fields }) => fields)
    .filter(({ became }) => became.includes("not known"));
  expect(guessed).toEqual([]);
  expect(accounts[0]?.fields.length).toBeGreaterThan(20);
});

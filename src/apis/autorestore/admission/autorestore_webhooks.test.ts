import { expect, test } from "vitest";
import type { BackupConfig } from "../../../kinds/autorestore/generated/backup_config.ts";
import type { ResticBackup } from "../../../kinds/autorestore/generated/restic_backup.ts";
import type { ResticRepository } from "../../../kinds/autorestore/generated/restic_repository.ts";
import { GROUP } from "../../../kinds/autorestore/group.ts";
import { KINDS } from "../../../kinds/autorestore/kinds.ts";
import type { AdmissionRequest, Verdict } from "../../../kube/admission/review.ts";
import type { KubeObject } from "../../../kube/object.ts";
import { RecordingClient } from "../../../kube/testing/recording_client.ts";
import {
  meta,
  sampleBackup,
  sampleClaim,
  sampleConfig,
  sampleRepository,
  sampleRestore,
  sampleTarget,
} from "../testing/samples.ts";
import { autorestoreWebhooks } from "./autorestore_webhooks.ts";
import type { Lookup } from "./lookup.ts";

const LOOKUP: Lookup = {
  repository: ({ name }) => (name === "missing" ? "absent" : sampleRepository()),
  backup: ({ name }) => (name === "missing" ? "absent" : sampleBackup(name)),
  claim: ({ name }) => (name === "missing" ? "absent" : sampleClaim(name)),
  repositoryOn: ({ name }) => (name === "store" ? "Repository home/nas" : undefined),
  namespace: (name) => ({ apiVersion: "v1", kind: "Namespace", metadata: meta(name) }),
};

async function answer(
  object: KubeObject,
  {
    old,
    operation = old ? "UPDATE" : "CREATE",
    isOperator = false,
    repositories = [],
    backups = [],
  }: {
    old?: KubeObject;
    operation?: "CREATE" | "UPDATE" | "DELETE";
    isOperator?: boolean;
    repositories?: readonly ResticRepository[];
    backups?: readonly ResticBackup[];
  } = {},
): Promise<Verdict> {
  const webhooks = autorestoreWebhooks({
    client: new RecordingClient(),
    lookup: LOOKUP,
    operatorNamespace: "platform",
    isOperator: () => isOperator,
    repositories: { values: () => repositories },
    backups: { values: () => backups },
  });
  const [found] = webhooks.filter(
    ({ resource, operations }) =>
      resource.kind === object.kind && (operations as readonly string[]).includes(operation),
  );
  if (found?.type !== "validating") throw new Error(`nobody checks ${operation} of a ${object.kind}`);
  const oldObject = operation === "DELETE" ? object : old;
  const request = {
    uid: "1",
    operation,
    namespace: object.metadata.namespace,
    user: { username: "someone" },
    ...(operation === "DELETE" ? {} : { object }),
    ...(oldObject ? { oldObject } : {}),
  } as unknown as AdmissionRequest<KubeObject>;
  return found.validate(request, new AbortController().signal);
}

const targeted = (more: Parameters<typeof sampleTarget>[1]): BackupConfig =>
  sampleConfig({ backupTargets: [sampleTarget("nas", more)] });
const inline = { repository: "b2:bucket:path", privilegedMover: false } as const;
const password = { passwordSecretRef: { name: "restic", key: "password" } };

test("every kind is checked, and three deletions", () => {
  const webhooks = autorestoreWebhooks({
    client: new RecordingClient(),
    lookup: LOOKUP,
    operatorNamespace: "platform",
    isOperator: () => false,
    repositories: { values: () => [] },
    backups: { values: () => [] },
  });
  expect(webhooks.map(({ name }) => name.replace(`.${GROUP}`, ""))).toEqual([
    ...KINDS.map(({ resource }) => `validate.${resource.plural}`),
    "delete.persistentvolumeclaims",
    "delete.resticrepositories",
    "delete.resticbackups",
  ]);
});

test.each<[string, KubeObject]>([
  ["a BackupConfig", sampleConfig()],
  ["a target with a repository of its own", targeted({ repository: { ...inline, ...password } })],
  ["a ResticRepository", sampleRepository()],
  ["a ResticBackup", sampleBackup("a")],
  ["a ResticRestore", sampleRestore({ backupName: "a" })],
])("%s is let in without a word", async (_, object) => {
  expect(await answer(object)).toEqual({ allowed: true, warnings: [] });
});

test.each<[string, KubeObject, string]>([
  [
    "a bad schedule",
    targeted({ backupSchedule: "often" }),
    'spec.backupTargets[0].backupSchedule: the cron expression "often" cannot be used: it has 1 fields.',
  ],
  [
    "a bad schedule of the retention",
    targeted({ retentionSchedule: "61 * * * *" }),
    "spec.backupTargets[0].retentionSchedule: the cron expression",
  ],
  [
    "a retention that keeps nothing",
    targeted({ retention: { keepLast: 0 } }),
    "spec.backupTargets[0].retention: the retention keeps no snapshot: none of keepLast,",
  ],
  [
    "a URL that restic does not know",
    targeted({ repository: { ...inline, ...password, repository: "ftp://nas" } }),
    "spec.backupTargets[0].repository.repository: the repository's URL, which begins with ftp, cannot be used",
  ],
  [
    "a repository without a password",
    targeted({ repository: inline }),
    "spec.backupTargets[0].repository.passwordSecretRef: the repository has no password",
  ],
  [
    "a path on no volume",
    sampleRepository({ repository: "/backups" }),
    "spec.volume: the repository /backups is a path on no volume",
  ],
  [
    "a bad schedule of maintenance",
    sampleRepository({ maintenanceSchedule: { prune: "x", verificationPercent: 5 } }),
    'spec.maintenanceSchedule.prune: the cron expression "x" cannot be used',
  ],
  [
    "a flag that says where to store",
    sampleRepository({ additionalFlags: ["--repo=x"] }),
    "spec.additionalFlags[0]: --repo cannot be passed on",
  ],
  [
    "a mover as root where the namespace does not allow it",
    sampleRepository({ privilegedMover: true }),
    `spec.privilegedMover: movers cannot have privileges in namespace home: the namespace does not consent to it. Annotate the namespace with ${GROUP}/allow-privileged-movers=true, or leave privilegedMover out.`,
  ],
  [
    "a selector without values",
    sampleConfig({
      selectors: [
        {
          labelSelector: { matchExpressions: [{ key: "a", operator: "In" }] },
          stopPods: true,
          waitForHealthy: false,
        },
      ],
    }),
    "spec.selectors[0].labelSelector.matchExpressions[0].values: the condition with In cannot be used: it lists no values. List the values.",
  ],
  [
    "a PVC of another namespace",
    {
      ...sampleBackup("a"),
      spec: { ...sampleBackup("a").spec, pvcRef: { name: "d", namespace: "away" } },
    } as KubeObject,
    "spec.pvcRef.namespace: the PVC is in namespace away, and this ResticBackup in home",
  ],
  [
    "a restore over a repository, whichever API's",
    sampleRestore({ backupName: "a", targetPVC: "store" }),
    "spec.targetPVC: PersistentVolumeClaim home/store cannot be restored into: it holds the backups of Repository home/nas. Restore into another PVC.",
  ],
  [
    "a backup of a repository",
    { ...sampleBackup("a"), spec: { ...sampleBackup("a").spec, pvcRef: { name: "store" } } } as KubeObject,
    "spec.pvcRef: PersistentVolumeClaim home/store cannot be backed up: it holds the backups of Repository home/nas.",
  ],
  [
    "a selector that names a repository's PVC",
    sampleConfig({ selectors: [{ names: ["data", "store"], stopPods: true, waitForHealthy: false }] }),
    "spec.selectors[0].names: PersistentVolumeClaim home/store cannot be backed up: it holds the backups of Repository home/nas.",
  ],
  [
    "a tag with a comma",
    { ...sampleBackup("a"), spec: { ...sampleBackup("a").spec, tags: ["a,b"] } } as KubeObject,
    'spec.tags[0]: the tag "a,b" cannot be used',
  ],
  [
    "a tag of the operator",
    { ...sampleBackup("a"), spec: { ...sampleBackup("a").spec, tags: ["holdfast-run"] } } as KubeObject,
    'spec.tags[0]: the tag "holdfast-run" cannot be used',
  ],
  [
    "the operator's mark",
    {
      ...sampleBackup("a"),
      metadata: meta("a", { annotations: { [`${GROUP}/deletion-reason`]: "Retention" } }),
    } as KubeObject,
    `metadata.annotations: the annotation ${GROUP}/deletion-reason cannot be set`,
  ],
])("%s is refused", async (_, object, message) => {
  const verdict = await answer(object);
  expect(verdict.allowed).toBe(false);
  expect("message" in verdict ? verdict.message : "").toContain(message);
});

test.each<[string, KubeObject, string, KubeObject?]>([
  [
    "a repository that is not there yet",
    targeted({ repository: { name: "missing", privilegedMover: false } }),
    "spec.backupTargets[0].repository: ResticRepository home/missing does not exist yet, and is waited for",
  ],
  [
    "settings beside a name",
    targeted({ repository: { name: "nas", privilegedMover: false, ...password } }),
    "spec.backupTargets[0].repository: passwordSecretRef has no effect beside name; set it in the ResticRepository",
  ],
  [
    "one repository twice",
    sampleConfig({
      backupTargets: [
        sampleTarget("nas"),
        { ...sampleTarget("again"), repository: sampleTarget("nas").repository },
      ],
    }),
    "spec.backupTargets[1].repository: another target stores the same snapshots in ResticRepository nas",
  ],
  [
    "PVCs of a namespace that does not allow it",
    sampleConfig({ selectors: [{ namespaces: ["away"], stopPods: true, waitForHealthy: false }] }),
    `spec.selectors[0].namespaces: namespace away does not allow it; annotate it with ${GROUP}/allow-backup-configs-from: home`,
  ],
  [
    "another URL",
    sampleRepository({ repository: "b2:other:path" }),
    "spec.repository: the snapshots so far stay where they are; the operator uses the new place only if it holds the same repository",
    { ...sampleRepository(), status: { uniqueID: "id" } } as KubeObject,
  ],
  [
    "a ResticBackup that is not there",
    sampleRestore({ backupName: "missing" }),
    "spec.backupName: ResticBackup home/missing does not exist yet, and is waited for",
  ],
  [
    "a PVC that is not there",
    sampleRestore({ targetPVC: "missing", backupTarget: { repository: { name: "nas" } } }),
    "spec.targetPVC: PersistentVolumeClaim home/missing does not exist yet, and is waited for",
  ],
])("of %s is warned", async (_, object, warning, old) => {
  expect(await answer(object, old ? { old } : {})).toEqual({ allowed: true, warnings: [warning] });
});

test("the operator marks what its retention deletes", async () => {
  const object = sampleBackup("a");
  const marked = {
    ...object,
    metadata: meta("a", { annotations: { [`${GROUP}/deletion-reason`]: "Retention" } }),
  };
  expect(await answer(marked, { old: object, isOperator: true })).toMatchObject({ allowed: true });
  expect(await answer(marked, { old: object })).toMatchObject({ allowed: false, code: 403 });
});

test("a PVC that holds a repository, and a ResticBackup that is held, are not deleted", async () => {
  const repository = {
    ...sampleRepository({ repository: "/r", volume: { claimName: "store" } }),
    status: { uniqueID: "id", stats: { snapshotCount: 3 } },
  };
  const repositories = [repository];
  expect(await answer(sampleClaim("store"), { operation: "DELETE", repositories })).toEqual({
    allowed: false,
    code: 403,
    message:
      "PVC home/store holds the repository of ResticRepository home/nas, with 3 snapshots: deleting it would delete all of them. If that is meant, delete the ResticRepository first, then the PVC.",
  });
  expect(await answer(sampleClaim("data"), { operation: "DELETE", repositories })).toEqual({ allowed: true });
  const held = { ...sampleBackup("a"), metadata: meta("a", { annotations: { [`${GROUP}/hold`]: "true" } }) };
  expect(await answer(held, { operation: "DELETE" })).toMatchObject({
    allowed: false,
    message: expect.stringContaining("remove the annotation first"),
  });
  expect(await answer(sampleBackup("a"), { operation: "DELETE" })).toEqual({ allowed: true });
});

test("a ResticRepository on a PVC that ResticBackups are in is not deleted before somebody says so", async () => {
  const stored = { ...sampleRepository({ volume: { claimName: "store" } }), status: { uniqueID: "id" } };
  const backups = [sampleBackup("a", { status: { snapshotID: "s" } })];
  const deleted = (one: KubeObject, made = backups) => answer(one, { operation: "DELETE", backups: made });
  expect(await deleted(stored)).toEqual({
    allowed: false,
    code: 403,
    message: `ResticRepository home/nas lies on PVC home/store, with 1 snapshot: without it nothing of that can be restored, and nothing keeps the PVC from being deleted. If it is meant to go and the PVC to stay, run kubectl annotate resticrepositories.${GROUP} nas -n home ${GROUP}/acknowledge-removal=true, then delete the ResticRepository again.`,
  });
  const said = meta("nas", { annotations: { [`${GROUP}/acknowledge-removal`]: "true" } });
  expect(await deleted({ ...stored, metadata: said } as KubeObject)).toEqual({ allowed: true });
  expect(await deleted(stored, [])).toEqual({ allowed: true });
  expect(await deleted(sampleRepository())).toEqual({ allowed: true });
});

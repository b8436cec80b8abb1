import { backupConfigResource } from "../../kinds/kopiur/generated/backup_config.ts";
import { ANNOTATIONS, LABELS } from "../../kinds/plumber/words.ts";
import { ApiError } from "../../kube/api_error.ts";
import { Namespaces, PersistentVolumeClaims } from "../../kube/builtin.ts";
import type { Draft, KubeObject } from "../../kube/object.ts";
import { sleep } from "../../lib/clock.ts";
import { DEMO_NAMESPACE, Demo, DemoFailed, type DemoOptions } from "./demo.ts";

/** What the operator is told for this demonstration: backups at once, and the repository that it makes. */
export const PLUMBER_DEMO_SETTINGS = {
  mode: "enforce",
  repository: { kind: "Repository", namespace: DEMO_NAMESPACE, name: "repository" },
  copyMethod: "Direct",
  minBackupAge: "0s",
  refreshInterval: "2s",
};

const CLAIM = { namespace: DEMO_NAMESPACE, name: "documents" };
const OPTED_IN = { [LABELS.enabled]: "true", [LABELS.manage]: "true", [LABELS.tier]: "hourly" };
/** Root brings back owners of every kind. */
const AS_ROOT = { [ANNOTATIONS.uid]: "0" };
const EVERY_MS = 500;

/**
 * Protection by labels before a person's eyes: a volume is labelled, lost, and created again; it comes back with its
 * data, which is compared entry by entry. Throws DemoFailed.
 */
export async function runPlumberDemo(options: DemoOptions): Promise<void> {
  const demo = new Demo(options);
  await demo.prepare();
  const before = await demo.fill();
  await demo.makeRepository();
  await label(options, demo);
  await backUp(options, demo);
  await demo.destroy();
  await createAgain(options, demo);
  await demo.prove(before);
}

async function label({ client, screen }: DemoOptions, demo: Demo): Promise<void> {
  screen.line(`$ kubectl label namespace ${DEMO_NAMESPACE} ${LABELS.managedNamespace}=true`);
  const home = { metadata: { labels: { [LABELS.managedNamespace]: "true" } } };
  await client.patch(Namespaces, { name: DEMO_NAMESPACE }, { type: "merge", patch: home });
  const words = Object.entries(OPTED_IN).map(([name, value]) => `${name}=${value}`);
  screen.line(`$ kubectl label pvc ${CLAIM.name} ${words.join(" ")}`);
  const patch = { metadata: { labels: OPTED_IN, annotations: AS_ROOT } };
  await client.patch(PersistentVolumeClaims, CLAIM, { type: "merge", patch });
  await demo.settled(backupConfigResource, CLAIM.name, { good: ["Ready"], bad: ["Failed"] });
  demo.done("the operator wrote a BackupConfig, a BackupSchedule and a Restore for it");
}

async function backUp({ client, screen }: DemoOptions, demo: Demo): Promise<void> {
  screen.line(`$ kubectl annotate pvc ${CLAIM.name} ${ANNOTATIONS.trigger}=now`);
  const patch = { metadata: { annotations: { [ANNOTATIONS.trigger]: "now" } } };
  await client.patch(PersistentVolumeClaims, CLAIM, { type: "merge", patch });
  await demo.until(
    backupConfigResource,
    CLAIM,
    (config) => config?.status?.lastSuccessfulBackup !== undefined,
  );
  demo.done("a backup was made");
}

/** As GitOps would: again and again, while the operator does not know yet that there is a backup. */
async function createAgain(
  { client, clock, screen, signal, example }: DemoOptions,
  demo: Demo,
): Promise<void> {
  screen.line(`$ kubectl create -f ${CLAIM.name}.yaml`);
  const found = example("volume.yaml").find(({ kind }) => kind === PersistentVolumeClaims.kind);
  const { spec } = (found ?? {}) as { readonly spec?: object };
  const draft = { metadata: { ...CLAIM, labels: OPTED_IN, annotations: AS_ROOT }, spec };
  for (let tries = 0; ; tries += 1) {
    const answer = await client
      .create(PersistentVolumeClaims, draft as Draft<KubeObject>, { signal })
      .catch((error: unknown) => error);
    if (!(answer instanceof Error)) break;
    if (!(answer instanceof ApiError) || tries > 120) throw answer;
    screen.show(`  ${answer.message}`);
    await sleep(clock, EVERY_MS, signal);
  }
  const claim = await demo.until(PersistentVolumeClaims, CLAIM, (pvc) => pvc?.status?.phase === "Bound");
  const { kind, name } = claim?.spec?.dataSourceRef ?? {};
  if (kind === undefined) throw new DemoFailed(`PVC ${CLAIM.name} was created without its data`);
  demo.done(`the PVC was told to get its data from ${kind} ${name}, and has it`);
}

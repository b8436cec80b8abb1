import { type BackupConfig, backupConfigResource } from "../../kinds/autorestore/generated/backup_config.ts";
import { GROUP } from "../../kinds/autorestore/group.ts";
import { Deployments, Namespaces, PersistentVolumeClaims, Secrets } from "../../kube/builtin.ts";
import type { Draft, KubeObject } from "../../kube/object.ts";
import { DEMO_NAMESPACE, Demo, type DemoOptions } from "./demo.ts";

const CLAIM = { namespace: DEMO_NAMESPACE, name: "documents" };
const STORE = { namespace: DEMO_NAMESPACE, name: "repository" };
const CONFIG = { namespace: DEMO_NAMESPACE, name: "volumes" };
const WORKLOAD = { namespace: DEMO_NAMESPACE, name: "reader" };
const SIZE = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "2Gi" } } };
const APP = { app: WORKLOAD.name };

/**
 * Automatic restores before a person's eyes: a volume is selected, lost, and applied again with its workload, which waits
 * at zero until the data is back; that is compared entry by entry. Throws DemoFailed.
 */
export async function runAutorestoreDemo(options: DemoOptions): Promise<void> {
  const demo = new Demo(options);
  await demo.prepare();
  const before = await demo.fill();
  await select(options, demo);
  await backUp(options, demo);
  await demo.destroy();
  await applyAgain(options, demo);
  await demo.prove(before);
}

/** A restic repository on a volume of its own, which the operator makes from what the BackupConfig says of it. */
async function select({ client, screen, password }: DemoOptions, demo: Demo): Promise<void> {
  const allowed = { metadata: { annotations: { [`${GROUP}/allow-privileged-movers`]: "true" } } };
  await client.patch(Namespaces, { name: DEMO_NAMESPACE }, { type: "merge", patch: allowed });
  await client.create(Secrets, { metadata: { ...STORE, name: "restic" }, stringData: { password } });
  await client.create(PersistentVolumeClaims, { metadata: STORE, spec: SIZE } as Draft<KubeObject>);
  screen.line(`$ kubectl apply -f ${CONFIG.name}.yaml`);
  const repository = {
    repository: "/restic",
    volume: { claimName: STORE.name },
    passwordSecretRef: { name: "restic", key: "password" },
    privilegedMover: true,
  };
  await client.create(backupConfigResource, {
    metadata: CONFIG,
    spec: {
      selectors: [{ names: [CLAIM.name] }],
      autoRestore: true,
      backupTargets: [{ name: "local", repository }],
    },
  } as unknown as Draft<BackupConfig>);
  await restored(demo, 1);
  demo.done("the operator claimed the PVC, made the repository, and found no snapshot to restore");
}

async function backUp({ client, screen }: DemoOptions, demo: Demo): Promise<void> {
  const annotation = `${GROUP}/manual-backup`;
  screen.line(`$ kubectl annotate pvc ${CLAIM.name} ${annotation}=now`);
  const patch = { metadata: { annotations: { [annotation]: "now" } } };
  await client.patch(PersistentVolumeClaims, CLAIM, { type: "merge", patch });
  await demo.until(
    backupConfigResource,
    CONFIG,
    (config) => (config?.status?.backupJobs?.successful ?? 0) > 0,
  );
  demo.done("a backup was made, and the annotation removed");
}

async function applyAgain({ client, screen }: DemoOptions, demo: Demo): Promise<void> {
  screen.line(`$ kubectl apply -f ${CLAIM.name}.yaml -f ${WORKLOAD.name}.yaml`);
  await client.create(Deployments, {
    metadata: WORKLOAD,
    spec: {
      replicas: 1,
      selector: { matchLabels: APP },
      template: {
        metadata: { labels: APP },
        spec: {
          containers: [{ name: "reader", image: "reader" }],
          volumes: [{ name: "documents", persistentVolumeClaim: { claimName: CLAIM.name } }],
        },
      },
    },
  });
  await client.create(PersistentVolumeClaims, { metadata: CLAIM, spec: SIZE } as Draft<KubeObject>);
  await demo.until(Deployments, WORKLOAD, (found) => found?.spec?.replicas === 0);
  demo.done(`Deployment ${WORKLOAD.name} waits at zero replicas`);
  await restored(demo, 2);
  demo.done("the latest snapshot was restored into the new volume");
  await demo.until(Deployments, WORKLOAD, (found) => found?.spec?.replicas === 1);
  demo.done(`Deployment ${WORKLOAD.name} is back at 1 replica`);
}

async function restored(demo: Demo, count: number): Promise<void> {
  await demo.until(
    backupConfigResource,
    CONFIG,
    (config) => config?.status?.restoreJobs?.successful === count,
  );
}

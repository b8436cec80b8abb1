import { kubeconfigOf, openAccess } from "../src/embedded/access.ts";
import { ControlPlane } from "../src/embedded/control_plane.ts";
import { serveHttps } from "../src/embedded/https_front.ts";
import { MemoryStore } from "../src/embedded/store/memory_store.ts";
import { autorestoreCrds } from "../src/kinds/autorestore/crds.ts";
import { backupConfigResource } from "../src/kinds/autorestore/generated/backup_config.ts";
import { resticRepositoryResource } from "../src/kinds/autorestore/generated/restic_repository.ts";
import { LABELS } from "../src/kinds/autorestore/labels.ts";
import { kopiurCrds } from "../src/kinds/kopiur/crds.ts";
import { Namespaces, PersistentVolumeClaims } from "../src/kube/builtin.ts";
import { HttpClient } from "../src/kube/client/http_client.ts";
import type { Client } from "../src/kube/client.ts";
import type { Draft, KubeObject } from "../src/kube/object.ts";
import type { Resource } from "../src/kube/resource.ts";
import type { Clock } from "../src/lib/clock.ts";
import { listen } from "../src/lib/https_server.ts";
import { seededRandom } from "../src/lib/random.ts";
import { silentLogger as log } from "../src/observe/log.ts";
import { each } from "./parallel.ts";

export const HOME = "home";
export const TARGETS = ["near", "far"] as const;
const KEEP = { keep: "yes" };

/** A control plane with very many PVCs that one BackupConfig selects, into two repositories. */
export class AutorestoreGround implements AsyncDisposable {
  readonly client: HttpClient;
  readonly plane: ControlPlane;
  readonly #end = new AbortController();
  readonly #running: Promise<unknown>[] = [];

  constructor(clock: Clock) {
    const random = seededRandom(1);
    const store = new MemoryStore({ clock });
    const crds = [...kopiurCrds, ...autorestoreCrds];
    this.plane = new ControlPlane({ store, crds, clock, random, log });
    this.client = new HttpClient({ sender: this.plane.sender, clock, random, userAgent: "bench" });
  }

  async start(claims: number): Promise<void> {
    const { client } = this;
    this.#running.push(this.plane.run(this.#end.signal));
    await selectedClaims(client, claims);
  }

  /** How many PVCs are claimed. */
  claimed(): Promise<number> {
    return claimedOf(this.client);
  }

  /** Serves the API, and returns how to reach it. */
  async serve(folder: string, clock: Clock): Promise<string> {
    const access = openAccess({ folder, clock, random: seededRandom(2) });
    const { tls, token } = access;
    const { handle } = this.plane;
    const front = await serveHttps({ listen, tls: () => tls, token, handle });
    this.#end.signal.addEventListener("abort", () => void front.close(AbortSignal.abort()), { once: true });
    return kubeconfigOf(access, `https://127.0.0.1:${front.port}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort(new Error("the benchmark is over"));
    await Promise.allSettled(this.#running);
  }
}

/** PVCs that one BackupConfig selects, into two repositories. */
export async function selectedClaims(client: Client, claims: number): Promise<void> {
  const create = <T extends KubeObject>(resource: Resource<T>, name: string, spec: object) =>
    client.create(resource, { metadata: { namespace: HOME, name }, spec } as unknown as Draft<T>);
  await client.create(Namespaces, { metadata: { name: HOME } });
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  await each(
    claims,
    (i) =>
      client.create(PersistentVolumeClaims, {
        metadata: { namespace: HOME, name: `pvc-${i}`, labels: KEEP },
        spec,
      }),
    32,
  );
  for (const name of TARGETS) {
    await create(resticRepositoryResource, name, {
      repository: "/restic",
      volume: { claimName: name },
      passwordSecretRef: { name: "restic", key: "password" },
    });
  }
  await create(backupConfigResource, "all", {
    selectors: [{ labelSelector: { matchLabels: KEEP } }],
    backupTargets: TARGETS.map((name) => ({
      name,
      repository: { name },
      backupSchedule: "0 * * * *",
      retention: { keepLast: 1 },
    })),
    autoRestore: false,
  });
}

/** How many of them are claimed. */
export async function claimedOf(client: Client): Promise<number> {
  const { items } = await client.list(PersistentVolumeClaims, { namespace: HOME });
  return items.filter(({ metadata }) => metadata.labels?.[LABELS.managedBy]).length;
}

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
      await this.#create(resticRepositoryResource, name, {
        repository: "/restic",
        volume: { claimName: name },
        passwordSecretRef: { name: "restic", key: "password" },
      });
    }
    await this.#create(backupConfigResource, "all", {
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

  /** How many PVCs are claimed. */
  async claimed(): Promise<number> {
    const { items } = await this.client.list(PersistentVolumeClaims, { namespace: HOME });
    return items.filter(({ metadata }) => metadata.labels?.[LABELS.managedBy]).length;
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

  async #create<T extends KubeObject>(resource: Resource<T>, name: string, spec: object): Promise<void> {
    const draft = { metadata: { namespace: HOME, name }, spec };
    await this.client.create(resource, draft as unknown as Draft<T>);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort(new Error("the benchmark is over"));
    await Promise.allSettled(this.#running);
  }
}

import { PlumberWorld } from "../src/apis/plumber/world.ts";
import { ControlPlane } from "../src/embedded/control_plane.ts";
import { MemoryStore } from "../src/embedded/store/memory_store.ts";
import crds from "../src/kinds/kopiur/generated/crds.json" with { type: "json" };
import { LABELS } from "../src/kinds/plumber/words.ts";
import { Namespaces, PersistentVolumeClaims } from "../src/kube/builtin.ts";
import { Informers } from "../src/kube/cache/informers.ts";
import { HttpClient } from "../src/kube/client/http_client.ts";
import type { Client } from "../src/kube/client.ts";
import { systemClock as clock } from "../src/lib/clock.ts";
import { HttpsSender } from "../src/lib/https_sender.ts";
import { systemRandom as random } from "../src/lib/random.ts";
import { silentLogger as log } from "../src/observe/log.ts";
import { noWatchObserver } from "../src/observe/observers.ts";
import { installCrds } from "../test/scenarios/install_crds.ts";
import { each } from "./parallel.ts";

export const HOME = "holdfast";
export const MEDIA = "media";

/** All that a PVC needs to ask for protection. */
export const OPTED_IN = { [LABELS.enabled]: "true", [LABELS.manage]: "true", [LABELS.tier]: "hourly" };

export const claimName = (number: number) => `pvc-${number}`;

/** A PVC that asks for protection, and never gets a volume. */
export async function createClaim(client: Client, name: { namespace: string; name: string }): Promise<void> {
  await client.create(PersistentVolumeClaims, {
    metadata: { ...name, labels: OPTED_IN },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
      storageClassName: "no-such-class",
    },
  });
}

/** A control plane with very many labelled PVCs, and this API's view of it, by real caches. */
export class PlumberGround implements AsyncDisposable {
  readonly client: HttpClient;
  readonly informers: Informers;
  readonly world: PlumberWorld;
  readonly #plane: ControlPlane;
  readonly #end = new AbortController();
  readonly #running: Promise<unknown>[] = [];

  private constructor() {
    this.#plane = new ControlPlane({
      store: new MemoryStore({ clock }),
      clock,
      random,
      log,
      webhookSender: ({ url, ca }) => new HttpsSender({ url, ...(ca ? { tls: { ca } } : {}) }),
    });
    this.client = new HttpClient({ sender: this.#plane.sender, clock, random, userAgent: "bench" });
    this.informers = new Informers({ client: this.client, clock, random, log, observer: noWatchObserver });
    const settings = { operatorNamespace: HOME, ofApis: { plumber: { mode: "strict" } } };
    this.world = new PlumberWorld({ informers: this.informers, settings, clock });
  }

  static async open(claims: number): Promise<PlumberGround> {
    const ground = new PlumberGround();
    await ground.#start(claims);
    return ground;
  }

  async #start(claims: number): Promise<void> {
    const { client, informers } = this;
    const { signal } = this.#end;
    this.#running.push(this.#plane.run(signal));
    await installCrds(client, crds, signal);
    await client.create(Namespaces, { metadata: { name: HOME } });
    await labelledClaims(client, claims);
    this.#running.push(informers.run(signal));
    await informers.whenSynced(signal);
    await this.world.output.caches.schedule.whenSynced(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort(new Error("the benchmark is over"));
    await Promise.allSettled(this.#running);
  }
}

/** PVCs that ask for protection, in a namespace that allows it. */
export async function labelledClaims(client: Client, claims: number): Promise<void> {
  const labels = { [LABELS.managedNamespace]: "true" };
  await client.create(Namespaces, { metadata: { name: MEDIA, labels } });
  await each(claims, (i) => createClaim(client, { namespace: MEDIA, name: claimName(i) }), 32);
}

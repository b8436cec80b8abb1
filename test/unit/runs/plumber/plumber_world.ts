import {
  completed,
  type PlumberWebhookPorts,
  validated,
} from "../../../../src/apis/plumber/admission/plumber_webhooks.ts";
import { NO_TALLY } from "../../../../src/apis/plumber/plumber_counters.ts";
import { protectController } from "../../../../src/apis/plumber/protect/protect_controller.ts";
import { truthPlace } from "../../../../src/apis/plumber/truth/truth_place.ts";
import { PlumberWorld } from "../../../../src/apis/plumber/world.ts";
import type { KnownBackups } from "../../../../src/core/catalog/truth/known_backups.ts";
import { publishTruth } from "../../../../src/core/catalog/truth/publish_truth.ts";
import { shardTexts } from "../../../../src/core/catalog/truth/truth_shards.ts";
import type { EngineRoom } from "../../../../src/core/reconcile/engine_room.ts";
import type { Claim } from "../../../../src/core/volumes/claim_request.ts";
import { ControlPlane } from "../../../../src/embedded/control_plane.ts";
import { MemoryStore } from "../../../../src/embedded/store/memory_store.ts";
import { kopiurCrds } from "../../../../src/kinds/kopiur/crds.ts";
import { clusterRepositoryResource } from "../../../../src/kinds/kopiur/generated/cluster_repository.ts";
import { Namespaces, PersistentVolumeClaims } from "../../../../src/kube/builtin.ts";
import { Informers } from "../../../../src/kube/cache/informers.ts";
import { HttpClient } from "../../../../src/kube/client/http_client.ts";
import type { Patch } from "../../../../src/kube/client.ts";
import type { Draft, KubeObject } from "../../../../src/kube/object.ts";
import type { Resource } from "../../../../src/kube/resource.ts";
import type { EventNote } from "../../../../src/kube/write/events.ts";
import type { HttpRequest, HttpResponse, HttpSender } from "../../../../src/lib/http.ts";
import { seededRandom } from "../../../../src/lib/random.ts";
import { VirtualClock } from "../../../../src/lib/virtual_clock.ts";
import { silentLogger as log } from "../../../../src/observe/log.ts";
import { noWatchObserver } from "../../../../src/observe/observers.ts";
import { Crash } from "../crashing_sender.ts";

export const NAMESPACE = "media";
const HOME = "holdfast";

/** The operator dies at this write of its, counted from 1: before it, or after it and before the answer. */
export interface DeathAt {
  readonly write: number;
  readonly carriedOut: boolean;
}

class MortalWriter implements HttpSender {
  readonly #sender: HttpSender;
  readonly #at: DeathAt | undefined;
  writes = 0;
  dead = false;

  constructor(sender: HttpSender, at: DeathAt | undefined) {
    this.#sender = sender;
    this.#at = at;
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    if (this.dead) throw new Crash("the operator is dead");
    if (request.method === "GET" || ++this.writes !== this.#at?.write) return this.#sender.send(request);
    this.dead = true;
    if (this.#at.carriedOut) for await (const _ of (await this.#sender.send(request)).body);
    throw new Crash(`died at ${request.method} ${request.path}`);
  }

  close(): void {}
}

/** Protection by labels on a control plane in memory: webhooks and reconciler, and an operator that may die. */
export class PlumberRunWorld implements AsyncDisposable {
  readonly clock = new VirtualClock();
  readonly client: HttpClient;
  readonly told: EventNote[] = [];
  readonly #random = seededRandom(1);
  readonly #plane: ControlPlane;
  readonly #end = new AbortController();
  readonly #settings: object;
  #operator:
    | { readonly sender: MortalWriter; readonly stop: AbortController; readonly world: PlumberWorld }
    | undefined;
  #webhooks: PlumberWebhookPorts | undefined;

  constructor(settings: object = { mode: "strict" }) {
    const { clock } = this;
    this.#settings = settings;
    const store = new MemoryStore({ clock });
    this.#plane = new ControlPlane({ store, crds: kopiurCrds, clock, random: this.#random });
    this.client = new HttpClient({ sender: this.#plane.sender, clock, random: this.#random });
  }

  async start(death?: DeathAt): Promise<this> {
    void this.#plane.run(this.#end.signal);
    await this.client.create(Namespaces, { metadata: { name: HOME } });
    const labels = { "pvc-plumber.io/managed-namespace": "true" };
    await this.client.create(Namespaces, { metadata: { name: NAMESPACE, labels } });
    await this.#repository();
    await this.operator(death);
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#operator?.stop.abort(new Crash("the test is over"));
    this.#end.abort(new Crash("the test is over"));
    await this.clock.advance(0);
  }

  get died(): boolean {
    return this.#operator?.sender.dead === true;
  }

  /** How many writes this operator has made. */
  get writes(): number {
    return this.#operator?.sender.writes ?? 0;
  }

  /** Another operator takes the place of the one before. */
  async operator(death?: DeathAt): Promise<void> {
    this.#operator?.stop.abort(new Crash("another operator leads"));
    const { clock } = this;
    const random = this.#random;
    const sender = new MortalWriter(this.#plane.sender, death);
    const client = new HttpClient({ sender, clock, random });
    const informers = new Informers({ client, clock, random, log, observer: noWatchObserver });
    const settings = { moverImage: "mover", operatorNamespace: HOME, ofApis: { plumber: this.#settings } };
    const world = new PlumberWorld({ informers, settings, clock });
    const events = { event: (_: unknown, note: EventNote) => void this.told.push(note) };
    const room = { client, clock, random, log, settings, events } as unknown as EngineRoom;
    const controller = protectController({ room, world, tally: NO_TALLY });
    const stop = new AbortController();
    void informers.run(stop.signal);
    void controller.run(stop.signal, () => {}).catch(() => {});
    this.#operator = { sender, stop, world };
    this.#webhooks = {
      world,
      client: this.client,
      tally: NO_TALLY,
      log,
      tell: (_, note) => void this.told.push(note),
      mayUse: async () => true,
      isOperator: () => false,
    };
    await this.turns(3);
  }

  async publish(known: KnownBackups): Promise<void> {
    const readAt = new Date(this.clock.now()).toISOString();
    const head = { repository: "ClusterRepository pvc-plumber", uniqueID: "id", readAt };
    const list = { head, took: () => 0, texts: shardTexts(known), present: () => undefined };
    await publishTruth(this.client, truthPlace(HOME), list, {});
    await this.turns(3);
  }

  /** As the API server does it: both webhooks, and then it is stored. */
  async apply(name: string, annotations: Readonly<Record<string, string>> = {}): Promise<Claim> {
    if (!this.#webhooks) throw new Error("there is no operator");
    const labels = {
      "pvc-plumber.io/enabled": "true",
      "pvc-plumber.io/manage-volsync": "true",
      "pvc-plumber.io/tier": "hourly",
    };
    const object = {
      metadata: { namespace: NAMESPACE, name, labels, annotations },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    } as unknown as Claim;
    const request = (asked: Claim) => ({
      uid: name,
      operation: "CREATE" as const,
      resource: { group: "", version: "v1", resource: "persistentvolumeclaims" },
      subResource: "",
      name,
      namespace: NAMESPACE,
      object: asked,
      oldObject: undefined,
      user: { username: "someone", uid: "", groups: [] },
      dryRun: false,
    });
    const mutated = await completed(this.#webhooks, request(object), this.#end.signal);
    if (!mutated.allowed) throw new Error(mutated.message);
    const whole = mutated.object ?? object;
    const verdict = await validated(this.#webhooks, request(whole));
    if (!verdict.allowed) throw new Error(verdict.message);
    return this.client.create(PersistentVolumeClaims, whole as Draft<Claim>);
  }

  async bind(name: string): Promise<void> {
    const patch = { type: "merge", patch: { status: { phase: "Bound" } } } as unknown as Patch<Claim>;
    const options = { subresource: "status" };
    await this.client.patch(PersistentVolumeClaims, { namespace: NAMESPACE, name }, patch, options);
  }

  async edit(name: string, metadata: object): Promise<void> {
    const patch = { type: "merge", patch: { metadata } } as unknown as Patch<Claim>;
    await this.client.patch(PersistentVolumeClaims, { namespace: NAMESPACE, name }, patch);
  }

  /** No pod uses it: there is nothing that it waits for. */
  async remove(name: string): Promise<void> {
    await this.edit(name, { finalizers: null });
    await this.client.delete(PersistentVolumeClaims, { namespace: NAMESPACE, name });
  }

  async all<T extends KubeObject>(resource: Resource<T>): Promise<readonly T[]> {
    return (await this.client.list(resource, { namespace: NAMESPACE })).items;
  }

  async names(resource: Resource): Promise<readonly string[]> {
    return (await this.all(resource)).map(({ metadata }) => metadata.name);
  }

  /** Lets everything come to its end, before time moves on. */
  async turns(number: number, pause = 1_000): Promise<void> {
    for (let turn = 0; turn < number; turn++) {
      for (let n = 0; n < 12; n++) await this.clock.advance(0);
      await this.clock.advance(pause);
    }
  }

  async #repository(): Promise<void> {
    const secret = { namespace: HOME, name: "kopia" };
    const spec = {
      create: { enabled: true },
      backend: { s3: { bucket: "backups", auth: { secretRef: secret } } },
      encryption: { passwordSecretRef: secret },
      allowedNamespaces: { all: true },
    };
    const name = { name: "pvc-plumber" };
    await this.client.create(clusterRepositoryResource, { metadata: name, spec } as never);
    const patch = { type: "merge", patch: { status: { phase: "Ready", uniqueID: "id" } } } as never;
    await this.client.patch(clusterRepositoryResource, name, patch, { subresource: "status" });
  }
}

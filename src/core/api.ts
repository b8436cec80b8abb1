import type { Webhook } from "../kube/admission/webhook.ts";
import type { WantedKind } from "../kube/adoption/crd_shortfalls.ts";
import type { Informers } from "../kube/cache/informers.ts";
import type { CallOptions, Client } from "../kube/client.ts";
import type { KubeObject } from "../kube/object.ts";
import type { Resource } from "../kube/resource.ts";
import type { Right } from "../kube/rights.ts";
import type { Runnable } from "../kube/runnable.ts";
import type { Crd } from "../kube/schema/crd.ts";
import type { Annotation } from "../kube/write/annotate_all.ts";
import type { Held } from "../kube/write/release_all.ts";
import type { Clock } from "../lib/clock.ts";
import type { ServeRequest } from "../lib/https_server.ts";
import type { Random } from "../lib/random.ts";
import type { Logger } from "../observe/log.ts";
import type { GaugeOptions, Metrics } from "../observe/metrics.ts";
import type { AdmissionObserver, ReconcileObserver, RunEndObserver } from "../observe/observers.ts";
import type { EngineRoom } from "./reconcile/engine_room.ts";
import type { ApiView } from "./view/api_view.ts";
import { joinedStores, type StoresIn } from "./volumes/stores.ts";
import type { RunUse } from "./work/run_uses.ts";
import type { Settings } from "./work/settings.ts";

/** What one API hands in: everything that the program, the chart and the pages need to know of it. */
export interface Api {
  /** As in the setting that serves it. */
  readonly name: string;
  /** The APIs whose objects it works with, which must be served as well. Default: none. */
  readonly needs?: readonly string[];
  /** It is not served by an operator that watches one namespace alone. Default: it is. */
  readonly wholeCluster?: true;
  readonly kinds: readonly WantedKind[];
  /** The CRDs of these kinds, for a program that installs them itself. They are large, and loaded when asked for. */
  crds(): Promise<readonly Crd[]>;
  /** All that it asks of the API server, the parts of the engine room that it uses included. */
  readonly rights: readonly Right[];
  /** What its runs use that others' may not. Default: nothing. */
  readonly uses?: readonly RunUse[];
  readonly removal: ApiRemoval;
  /**
   * The kinds for everyone who may view, or edit, a namespace. Those in `remove` people do not write: who may edit the
   * namespace may look at them and delete them.
   */
  readonly people: {
    readonly view: readonly Resource[];
    readonly edit: readonly Resource[];
    readonly remove?: readonly Resource[];
  };
  /** Throws on settings of this API that it does not understand, before anything begins. Default: it has none. */
  checkSettings?(given: unknown): void;
  /** What it answers at the port for health and metrics, by path. Default: nothing. */
  endpoints?(ports: EndpointPorts): Readonly<Record<string, ServeRequest>>;
  /** The PVCs that its repositories lie on, as far as they are known. Default: it has none. */
  storesIn?(ports: StoresPorts): StoresIn;
  /** Its webhooks, which one server serves beside those of the others. */
  webhooks(ports: WebhookPorts): readonly Webhook[];
  /** Its controllers, for a process that leads. Their caches are asked for here, and run by the informers. */
  controllers(ports: ApiPorts): readonly Runnable[];
  /** What it shows of its objects, from the caches that its controllers share. */
  gauges(ports: Pick<ApiPorts, "informers"> & Pick<EngineRoom, "namespace">): readonly GaugeOptions[];
  /** How its objects are shown to people. */
  readonly view: ApiView;
  /** Adds the counters of this API, and returns who is to be told. */
  counters(metrics: Metrics): ApiCounters;
}

/** What is left to do once the operator is gone for good. */
export interface ApiRemoval {
  /** Every finalizer that this API puts on objects: with nobody to take them off, these could not be deleted. */
  readonly finalizers: readonly Held[];
  /** What `unregister` asks for. */
  readonly rights: readonly Right[];
  /** Takes back what was registered for the whole cluster. */
  unregister?(client: Client, call: CallOptions): Promise<unknown>;
  /** Put on all objects of these kinds before their CRDs go, so that no other operator deletes data with them. */
  readonly keepsData?: readonly Annotation<KubeObject>[];
}

export interface StoresPorts {
  readonly informers: Pick<Informers, "cache">;
  readonly operatorNamespace: string;
  /** Only this namespace is looked at. Default: all. */
  readonly namespace?: string | undefined;
}

export interface WebhookPorts {
  readonly client: Client;
  readonly informers: Pick<Informers, "cache">;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Default: nobody counts. */
  readonly counters?: ApiCounters | undefined;
  readonly operatorNamespace: string;
  /** The PVCs that hold a repository of any API. */
  readonly storesIn: StoresIn;
  /** Whether the operator itself writes. */
  readonly isOperator: (user: { readonly username?: string }) => boolean;
  /** Only this namespace is guarded. Default: all. */
  readonly namespace?: string | undefined;
}

export interface EndpointPorts {
  readonly informers: Pick<Informers, "cache">;
  readonly settings: Settings;
  readonly clock: Clock;
}

export interface ApiPorts {
  readonly room: EngineRoom;
  /** Its indexes are this API's own. */
  readonly informers: Pick<Informers, "cache">;
  /** Default: nobody counts. */
  readonly counters?: ApiCounters | undefined;
}

/** What is counted of an API. Whoever tells it something knows no metrics. */
export interface ApiCounters {
  readonly reconciles?: ReconcileObserver;
  readonly admission?: AdmissionObserver;
  readonly runs?: RunEndObserver;
  readonly deletions?: DeletionObserver;
  /** What only this API counts, in a shape that only it knows. */
  readonly own?: unknown;
}

/** What becomes of the snapshots of objects that are deleted. */
export interface DeletionObserver {
  snapshotsOrphaned(namespace: string, count: number): void;
  snapshotDeletionFailed(namespace: string): void;
}

/** The name of both webhook configurations of an API. An operator of one namespace has its own. */
export function webhooksName(api: string, namespace?: string): string {
  return namespace === undefined ? `holdfast-${api}` : `holdfast-${api}-${namespace}`;
}

/** The Secret that the certificates of the webhooks are kept in, where the operator makes them. */
export function certificatesName(namespace?: string): string {
  return namespace === undefined ? "holdfast-webhooks" : `holdfast-webhooks-${namespace}`;
}

/** The PVCs that hold a repository of any of these APIs. */
export function storesOf(
  apis: readonly Api[],
  { informers, ...ports }: Omit<StoresPorts, "informers"> & { readonly informers: Pick<Informers, "for"> },
): StoresIn {
  return joinedStores(
    apis.flatMap((api) => api.storesIn?.({ ...ports, informers: informers.for(api.name) }) ?? []),
  );
}

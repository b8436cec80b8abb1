import type { Api, ApiPorts } from "../../src/core/api.ts";
import { admissionRights, ownKindRights } from "../../src/core/api_rights.ts";
import { controllerPorts, type EngineRoom } from "../../src/core/reconcile/engine_room.ts";
import { recordHoldersOf } from "../../src/core/reconcile/record_holders_of.ts";
import type { Claim } from "../../src/core/volumes/claim_request.ts";
import { CLAIM_RIGHTS } from "../../src/core/volumes/claim_rights.ts";
import { KEPT_OF_CLAIM } from "../../src/core/volumes/kept_of_claim.ts";
import { primeSource } from "../../src/core/volumes/populator/population_marks.ts";
import { POPULATION_RIGHTS } from "../../src/core/volumes/populator/population_rights.ts";
import { VOLUME_FINALIZERS } from "../../src/core/volumes/volume_finalizers.ts";
import { RUN_RIGHTS } from "../../src/core/work/run_rights.ts";
import { Namespaces, PersistentVolumeClaims } from "../../src/kube/builtin.ts";
import { type Cache, lastSeen } from "../../src/kube/cache/cache.ts";
import { Controller } from "../../src/kube/controller/controller.ts";
import type { KubeObject } from "../../src/kube/object.ts";
import { LISTED_WHERE_NOT_STREAMED } from "../../src/kube/rights.ts";
import { EVENT_RIGHTS } from "../../src/kube/write/event_rights.ts";
import { type Keep, keepCrd, keepResource, keepSchema } from "./keep.ts";
import { FINALIZER, reconcileKeep } from "./reconcile_keep.ts";

/** What the controller of this API is handed. */
export interface KeepPorts extends EngineRoom {
  readonly keeps: Cache<Keep>;
  readonly claims: Cache<Claim>;
  readonly namespaces: Cache<KubeObject>;
}

const none = () => [];
const NOTHING = {
  protections: none,
  snapshots: none,
  repositories: none,
  schedules: none,
  activity: none,
  problems: none,
};

/** As small as an API can be: one kind, against the engine room alone. */
export const sample: Api = {
  name: "sample",
  kinds: [{ resource: keepResource, schema: keepSchema }],
  crds: async () => [keepCrd],
  rights: [
    ...ownKindRights(keepResource, ["patch"]),
    ...admissionRights("sample"),
    ...RUN_RIGHTS,
    ...CLAIM_RIGHTS,
    ...POPULATION_RIGHTS,
    ...EVENT_RIGHTS,
    {
      resource: Namespaces,
      verbs: ["list", "watch"],
      why: "annotations of namespaces say what movers may do",
      unseen: LISTED_WHERE_NOT_STREAMED,
    },
  ],
  removal: {
    finalizers: [{ resource: keepResource, finalizer: FINALIZER }, ...VOLUME_FINALIZERS],
    rights: [],
  },
  people: { view: [keepResource], edit: [keepResource] },
  webhooks: none,
  controllers: (ports) => [keepController(ports)],
  gauges: none,
  counters: () => ({}),
  view: {
    api: "sample",
    kinds: [{ word: "keep", resource: keepResource, columns: [], runsOnce: true }],
    read: () => ({ unnamed: "no Keep names it", stores: new Set(), ...NOTHING }),
    dependsOn: none,
    nextTry: () => "It is tried again.",
    remedies: none,
  },
};

function keepController({ room, informers }: ApiPorts): Controller {
  const ports: KeepPorts = {
    ...room,
    keeps: informers.cache({ resource: keepResource }),
    claims: informers.cache({ resource: PersistentVolumeClaims, keep: KEPT_OF_CLAIM }),
    namespaces: informers.cache<KubeObject>({ resource: Namespaces, metadataOnly: true }),
  };
  const controller = new Controller({
    ...controllerPorts(room),
    name: "sample-keep",
    reconcile: (key, signal) => reconcileKeep(ports, key, signal),
  })
    .watch(ports.keeps)
    .watch(ports.claims, {
      keys: (change) => [primeSource(lastSeen(change), keepResource)].flatMap((key) => key ?? []),
    });
  room.tasks.wake(controller, keepResource);
  room.queues.recordHolders(recordHoldersOf(ports.keeps, controller));
  return controller;
}

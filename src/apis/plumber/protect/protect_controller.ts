import { parseHead } from "../../../core/catalog/truth/truth_head.ts";
import { controllerPorts, type EngineRoom } from "../../../core/reconcile/engine_room.ts";
import type { Claim } from "../../../core/volumes/claim_request.ts";
import { CONSENTS, GENERATED, LABELS, STATE_ANNOTATIONS, TRUTH } from "../../../kinds/plumber/words.ts";
import { ignoreGone } from "../../../kube/api_error.ts";
import type { ConfigMap } from "../../../kube/builtin.ts";
import { type Change, lastSeen } from "../../../kube/cache/cache.ts";
import { Controller, done, type Outcome, requeueAfter } from "../../../kube/controller/controller.ts";
import { type KubeObject, keyOf, type ObjectKey, parseKey } from "../../../kube/object.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import { FIELD_MANAGER } from "../field_manager.ts";
import { isGenerated } from "../output/generated_marks.ts";
import { backedUpBy } from "../output/volsync_beside.ts";
import type { PlumberTally } from "../plumber_counters.ts";
import type { PlumberWorld } from "../world.ts";
import { type ActPorts, actOnProtection } from "./act_on_protection.ts";
import { decideProtection } from "./decide_protection.ts";
import { decideRemoval, type Leftover } from "./decide_removal.ts";

export interface ProtectPorts {
  readonly room: EngineRoom;
  readonly world: PlumberWorld;
  readonly tally: PlumberTally;
}

/** Gives every PVC that asks for it what protects it, and takes that away again once the PVC is gone for good. */
export function protectController(ports: ProtectPorts): Controller {
  const { room, world } = ports;
  const controller = new Controller({
    ...controllerPorts(room),
    name: "plumber-pvc",
    concurrency: 8,
    reconcile: (key, signal) => reconcile(ports, key, signal),
  });
  controller
    .watch(world.claims, { when: (change) => isLabelled(lastSeen(change)) || wasLabelled(change) })
    .watch(world.namespaces, {
      keys: (change) => labelledIn(world, lastSeen(change).metadata.name),
      when: (change) => change.type !== "updated" || gateText(change.previous) !== gateText(change.object),
    })
    .watch(world.maps, {
      keys: () => labelledIn(world),
      when: (change) => saysOther(change),
    })
    .watch(world.repository.cache, {
      keys: () => labelledIn(world),
      when: (change) => change.key === world.repository.key && phaseChanged(change),
    });
  const { config, restore, schedule } = world.output.caches;
  // Kinds that the API server does not know yet hold nothing up.
  const awaited = world.settings.output === "native";
  for (const cache of [config, restore, schedule]) {
    if (cache) controller.watch(cache, { keys: (change) => sourceOf(lastSeen(change)), awaited });
  }
  // Once VolSync backs a PVC up no more, its schedule begins.
  const sources = world.volsync?.sources;
  if (sources) controller.watch(sources, { keys: (change) => backedUpBy(lastSeen(change)), awaited: false });
  return controller;
}

/** How soon to look again for kinds that the API server does not know. */
const SERVED_SOON = 30_000;

async function reconcile(ports: ProtectPorts, key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
  const { world } = ports;
  const { namespace = "" } = parseKey(key);
  if (world.isExcluded(namespace)) return done;
  const claim = world.claims.get(key);
  const asks = claim && !claim.metadata.deletionTimestamp && isLabelled(claim);
  return asks ? protect(ports, claim, signal) : remove(ports, key, signal);
}

/** Looks at one PVC that asks for protection, and writes what it lacks. */
export async function protect(
  {
    room,
    world,
    tally,
  }: Omit<ProtectPorts, "room"> & {
    readonly room: Pick<EngineRoom, "clock" | "events" | "log"> & Pick<ActPorts, "client">;
  },
  claim: Claim,
  signal: AbortSignal,
): Promise<Outcome> {
  const { clock, client, events, log } = room;
  const observed = world.observe(claim);
  const { intents, events: notes, wakeAt } = decideProtection(observed);
  const { pvc, restore, source, duplicate } = observed;
  const tell = (note: (typeof notes)[number]) => events.event(claim, note);
  const news = (failed: boolean) =>
    notes.filter(({ reason }) => !failed || reason !== "SourceReady").forEach(tell);
  if (intents.length === 0) news(false);
  else {
    const { namespace, name, annotations } = claim.metadata;
    if (annotations?.[STATE_ANNOTATIONS.sourceState] !== source.state && source.state !== "ready")
      tally.gated(source.state);
    if (duplicate !== undefined) tally.duplicate();
    const { mode, tier, identity } = pvc;
    const fields = { namespace, name, identity: identity.text, tier, mode, decision: restore.reason };
    log.info({ ...fields, state: source.state, writes: intents.map(({ type }) => type) }, "protecting a PVC");
    await actOnProtection({ client, tally, tell }, { pvc: claim, intents }, { signal }).then(
      () => news(false),
      (error: unknown) => {
        news(true);
        throw error;
      },
    );
  }
  if (!observed.served) return requeueAfter(SERVED_SOON);
  return wakeAt === undefined ? done : requeueAfter(Math.max(1_000, wakeAt - clock.now()));
}

/** The PVC is gone, or its label is: what was made for it goes after a while, unless it comes back. */
async function remove({ room, world }: ProtectPorts, key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
  const { client, clock, log } = room;
  const { namespace = "", name } = parseKey(key);
  const home = world.namespaces.get(keyOf({ name: namespace }));
  const claim = world.claims.get(key);
  if (!home || home.metadata.deletionTimestamp) return done;
  const now = clock.now();
  const {
    mark,
    remove: gone,
    wakeAt,
  } = decideRemoval({
    leftovers: leftoversOf(world, namespace, name),
    // Also one that has lost its label meanwhile.
    restoring: claim !== undefined && world.isRestoring(claim),
    grace: world.settings.removalGrace,
    now,
  });
  for (const { resource, object } of mark) {
    const annotations = { [GENERATED.unusedSince]: timestamp(now) };
    const patch = { metadata: { resourceVersion: object.metadata.resourceVersion, annotations } };
    const options = { signal, fieldManager: FIELD_MANAGER };
    await client.patch(resource, object.metadata, { type: "merge", patch }, options).catch(ignoreGone);
  }
  for (const { resource, object } of gone) {
    log.info({ namespace, name, kind: resource.kind }, "an object of a PVC that is gone is removed");
    await client.delete(resource, object.metadata, { signal, uid: object.metadata.uid });
  }
  if (mark.length > 0) return requeueAfter(world.settings.removalGrace);
  if (wakeAt !== undefined) return requeueAfter(Math.max(1_000, wakeAt - now));
  if (!claim) await world.consents.write(client, key, undefined, { signal });
  return done;
}

function leftoversOf(world: PlumberWorld, namespace: string, name: string): readonly Leftover[] {
  const present = world.present(namespace, name);
  const { caches } = world.output;
  return (["schedule", "config", "restore"] as const).flatMap((part) => {
    const { [part]: object } = present;
    const resource = caches[part]?.resource;
    return object && resource ? [{ resource, object }] : [];
  });
}

function isLabelled({ metadata }: KubeObject): boolean {
  const value = metadata.labels?.[LABELS.enabled];
  return value === "true" || value === "false";
}

const wasLabelled = (change: Change<KubeObject>) => change.type === "updated" && isLabelled(change.previous);

function* labelledIn(world: PlumberWorld, namespace?: string): Iterable<ObjectKey> {
  for (const claim of world.claims.values()) {
    const inside = namespace === undefined || claim.metadata.namespace === namespace;
    if (inside && isLabelled(claim)) yield keyOf(claim);
  }
}

function gateText({ metadata }: KubeObject): string {
  return `${metadata.labels?.[LABELS.managedNamespace]} ${metadata.deletionTimestamp}`;
}

/** What the head says changes each minute in its time alone, which concerns no PVC. */
function saysOther(change: Change<ConfigMap>): boolean {
  if (change.type !== "updated") return true;
  const { previous, object } = change;
  if (object.metadata.name === CONSENTS) return true;
  if (object.metadata.name !== TRUTH.name) return previous.data?.entries !== object.data?.entries;
  return headSays(previous) !== headSays(object);
}

function headSays({ data }: ConfigMap): string {
  const head = parseHead(data?.head);
  return JSON.stringify([
    head?.repository,
    head?.uniqueID,
    head?.readAt === undefined,
    head?.problem?.reason,
  ]);
}

type Phased = KubeObject & { readonly status?: { readonly phase?: string } };

function phaseChanged(change: Change<Phased>): boolean {
  return change.type !== "updated" || change.previous.status?.phase !== change.object.status?.phase;
}

/** The PVC that a generated object was made for. */
function sourceOf(object: KubeObject): readonly ObjectKey[] {
  if (!isGenerated(object)) return [];
  const name = object.metadata.annotations?.[GENERATED.sourcePvc];
  return name === undefined ? [] : [keyOf({ namespace: object.metadata.namespace, name })];
}

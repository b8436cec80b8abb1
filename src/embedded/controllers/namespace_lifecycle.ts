import { Namespaces } from "../../kube/builtin.ts";
import { done, type Outcome } from "../../kube/controller/controller.ts";
import type { Runnable } from "../../kube/controller/runnable.ts";
import { type Resource, resourceName } from "../../kube/resource.ts";
import { timestamp } from "../../kube/write/timestamp.ts";
import { isRecord, jsonEqual } from "../../lib/json.ts";
import type { Stored } from "../store/store.ts";
import { type ControllerPorts, storeController } from "./store_controller.ts";

const NAMESPACES = "namespaces";
const FINALIZER = "kubernetes";

/** Empties namespaces that are being deleted, and lets them go. */
export function namespaceLifecycle(ports: ControllerPorts): Runnable {
  const { store } = ports;
  const isTerminating = (name: string) =>
    store.get({ resource: NAMESPACES, namespace: "", name })?.metadata.deletionTimestamp !== undefined;
  return storeController(ports, {
    name: "namespaces",
    initial: () => store.list(NAMESPACES).objects.map(({ metadata }) => metadata.name),
    keysOf: ({ key }) => {
      const name = key.resource === NAMESPACES ? key.name : key.namespace;
      return name && isTerminating(name) ? [name] : [];
    },
    reconcile: (name, signal) => reconcile(ports, name, signal),
  });
}

async function reconcile(ports: ControllerPorts, name: string, signal: AbortSignal): Promise<Outcome> {
  const { store, client } = ports;
  const find = () => store.get({ resource: NAMESPACES, namespace: "", name });
  if (!finalizersOf(find()).includes(FINALIZER)) return done;
  for (const [resource, { metadata }] of contentOf(ports, name)) {
    if (metadata.deletionTimestamp) continue;
    await client.delete(resource, metadata, { signal, uid: metadata.uid, propagation: "Background" });
  }
  const left = contentOf(ports, name);
  const namespace = find();
  if (!namespace) return done;
  const status = withConditions(ports, namespace, left);
  const waits = left.length > 0 || namespace.metadata.finalizers !== undefined;
  if (waits && !jsonEqual(status, namespace.status)) {
    await client.update(Namespaces, { ...namespace, status } as never, { subresource: "status", signal });
  }
  const current = find();
  if (!current || left.length > 0) return done;
  const finalizers = finalizersOf(current).filter((finalizer) => finalizer !== FINALIZER);
  const { finalizers: _, ...others } = current.spec as Record<string, unknown>;
  const spec = finalizers.length > 0 ? { ...others, finalizers } : others;
  await client.update(Namespaces, { ...current, spec } as never, { subresource: "finalize", signal });
  return done;
}

function finalizersOf(namespace: Stored | undefined): readonly unknown[] {
  const spec = namespace?.metadata.deletionTimestamp && isRecord(namespace.spec) ? namespace.spec : {};
  return Array.isArray(spec.finalizers) ? spec.finalizers : [];
}

function contentOf(
  { store, kinds }: ControllerPorts,
  name: string,
): readonly (readonly [Resource, Stored])[] {
  return [...kinds.stored()]
    .map(({ resource }) => resource)
    .filter(({ namespaced }) => namespaced)
    .flatMap((resource) =>
      store.list(resourceName(resource), name).objects.map((object) => [resource, object] as const),
    );
}

type Content = ReturnType<typeof contentOf>;

/** Says what the namespace still waits for. */
function withConditions({ clock }: ControllerPorts, { status }: Stored, left: Content): object {
  const before = isRecord(status) ? status : {};
  const known: readonly unknown[] = Array.isArray(before.conditions) ? before.conditions : [];
  const lastTransitionTime = timestamp(clock.now());
  const conditions = conditionsFor(left).map(([type, status, reason, message]) => {
    const same = known.filter(isRecord).find((one) => one.type === type && one.status === status);
    return {
      type,
      status,
      lastTransitionTime: same?.lastTransitionTime ?? lastTransitionTime,
      reason,
      message,
    };
  });
  return { ...before, conditions };
}

function conditionsFor(left: Content): readonly (readonly [string, string, string, string])[] {
  const remaining = counted(left.map(([resource]) => `${resourceName(resource)}. has`));
  const held = counted(
    left.flatMap(([, { metadata }]) => metadata.finalizers ?? []).map((name) => `${name} in`),
  );
  return [
    [
      "NamespaceDeletionDiscoveryFailure",
      "False",
      "ResourcesDiscovered",
      "All resources successfully discovered",
    ],
    [
      "NamespaceDeletionGroupVersionParsingFailure",
      "False",
      "ParsedGroupVersions",
      "All legacy kube types successfully parsed",
    ],
    [
      "NamespaceDeletionContentFailure",
      "False",
      "ContentDeleted",
      "All content successfully deleted, may be waiting on finalization",
    ],
    remaining === ""
      ? ["NamespaceContentRemaining", "False", "ContentRemoved", "All content successfully removed"]
      : [
          "NamespaceContentRemaining",
          "True",
          "SomeResourcesRemain",
          `Some resources are remaining: ${remaining}`,
        ],
    held === ""
      ? [
          "NamespaceFinalizersRemaining",
          "False",
          "ContentHasNoFinalizers",
          "All content-preserving finalizers finished",
        ]
      : [
          "NamespaceFinalizersRemaining",
          "True",
          "SomeFinalizersRemain",
          `Some content in the namespace has finalizers remaining: ${held}`,
        ],
  ];
}

/** `pods. has 2 resource instances, …`, by name. */
function counted(texts: readonly string[]): string {
  return [...Map.groupBy(texts, (text) => text)]
    .map(([text, all]) => `${text} ${all.length} resource instances`)
    .sort()
    .join(", ");
}

import { Namespaces, ServiceAccounts } from "../../kube/builtin.ts";
import { done, type Outcome } from "../../kube/controller/controller.ts";
import type { KubeObject } from "../../kube/object.ts";
import { type Resource, resourceName } from "../../kube/resource.ts";
import type { Runnable } from "../../kube/runnable.ts";
import { timestamp } from "../../kube/write/timestamp.ts";
import { isRecord, jsonEqual } from "../../lib/json.ts";
import type { Stored } from "../store/store.ts";
import { type ControllerPorts, storeController } from "./store_controller.ts";

const NAMESPACES = "namespaces";
const SERVICE_ACCOUNTS = "serviceaccounts";
const ACCOUNT = "default";
const FINALIZER = "kubernetes";

/** Gives each namespace its default service account; empties those that are being deleted, and lets them go. */
export function namespaceLifecycle(ports: ControllerPorts): Runnable {
  const { store } = ports;
  const isTerminating = (name: string) => namespaceOf(ports, name)?.metadata.deletionTimestamp !== undefined;
  return storeController(ports, {
    name: "namespaces",
    initial: () => store.list(NAMESPACES).objects.map(({ metadata }) => metadata.name),
    keysOf: ({ key }) => {
      if (key.resource === NAMESPACES) return [key.name];
      const concerns = key.resource === SERVICE_ACCOUNTS || isTerminating(key.namespace);
      return concerns && key.namespace ? [key.namespace] : [];
    },
    reconcile: (name, signal) => reconcile(ports, name, signal),
  });
}

async function reconcile(ports: ControllerPorts, name: string, signal: AbortSignal): Promise<Outcome> {
  const { client } = ports;
  const find = () => namespaceOf(ports, name);
  if (find()?.metadata.deletionTimestamp === undefined) return ensureAccount(ports, name, signal);
  if (!finalizersOf(find()).includes(FINALIZER)) return done;
  const failures: unknown[] = [];
  for (const [resource, { metadata }] of contentOf(ports, name)) {
    if (metadata.deletionTimestamp) continue;
    const options = { signal, uid: metadata.uid, propagation: "Background" } as const;
    // What cannot be deleted does not keep the rest.
    await client.delete(resource, metadata, options).catch((error) => failures.push(error));
  }
  const left = contentOf(ports, name);
  const namespace = find();
  if (!namespace) return done;
  const described = { ...namespace, status: withConditions(ports, namespace, left) };
  const waits = left.length > 0 || namespace.metadata.finalizers !== undefined;
  if (waits && !jsonEqual(described, namespace)) {
    await client.update<KubeObject>(Namespaces, described, { subresource: "status", signal });
  }
  if (failures.length > 0) throw failures[0];
  const current = find();
  if (!current || left.length > 0) return done;
  const finalized = { ...current, spec: withoutFinalizer(current) };
  await client.update<KubeObject>(Namespaces, finalized, { subresource: "finalize", signal });
  return done;
}

function withoutFinalizer(namespace: Stored): object {
  const { finalizers: _, ...others } = isRecord(namespace.spec) ? namespace.spec : {};
  const finalizers = finalizersOf(namespace).filter((finalizer) => finalizer !== FINALIZER);
  return finalizers.length > 0 ? { ...others, finalizers } : others;
}

function namespaceOf({ store }: ControllerPorts, name: string): Stored | undefined {
  return store.get({ resource: NAMESPACES, namespace: "", name });
}

/** Pods run as this account when they name none. */
async function ensureAccount(
  ports: ControllerPorts,
  namespace: string,
  signal: AbortSignal,
): Promise<Outcome> {
  const { store, client } = ports;
  const there = store.get({ resource: SERVICE_ACCOUNTS, namespace, name: ACCOUNT });
  if (!there && namespaceOf(ports, namespace)) {
    await client.create(ServiceAccounts, { metadata: { namespace, name: ACCOUNT } }, { signal });
  }
  return done;
}

function finalizersOf(namespace: Stored | undefined): readonly unknown[] {
  const spec = isRecord(namespace?.spec) ? namespace.spec : {};
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
  const remaining = counted(left.map(([resource]) => `${resource.plural}.${resource.group} has`));
  const held = counted(
    left.flatMap(([, { metadata }]) => metadata.finalizers ?? []).map((name) => `${name} in`),
  );
  const some = `Some resources are remaining: ${remaining}`;
  const holding = `Some content in the namespace has finalizers remaining: ${held}`;
  return [
    remaining === ""
      ? ["NamespaceContentRemaining", "False", "ContentRemoved", "All content successfully removed"]
      : ["NamespaceContentRemaining", "True", "SomeResourcesRemain", some],
    held === ""
      ? ["NamespaceFinalizersRemaining", "False", "ContentHasNoFinalizers", "No content has finalizers"]
      : ["NamespaceFinalizersRemaining", "True", "SomeFinalizersRemain", holding],
  ];
}

/** `pods. has 2 resource instances, …`, by name. */
function counted(texts: readonly string[]): string {
  return [...Map.groupBy(texts, (text) => text)]
    .map(([text, all]) => `${text} ${all.length} resource instances`)
    .sort()
    .join(", ");
}

import { isNotFound } from "../../../src/kube/api_error.ts";
import { type ConfigMap, ConfigMaps } from "../../../src/kube/builtin.ts";
import type { Cache } from "../../../src/kube/cache/cache.ts";
import type { Informers } from "../../../src/kube/cache/informers.ts";
import type { Client } from "../../../src/kube/client.ts";
import { Controller, type ControllerOptions, done } from "../../../src/kube/controller/controller.ts";
import { keyOf, type ObjectKey, parseKey } from "../../../src/kube/object.ts";
import { jsonEqual } from "../../../src/lib/json.ts";

export interface MirrorOptions extends Omit<ControllerOptions, "name" | "reconcile"> {
  readonly informers: Informers;
  readonly client: Client;
  readonly source: string;
  readonly target: string;
  readonly fieldManager: string;
  /** Called around every reconcile. */
  readonly around: (key: ObjectKey, work: () => Promise<void>) => Promise<void>;
}

/** A sample controller: the ConfigMaps of one namespace, kept the same in another. */
export class Mirror extends Controller {
  readonly sources: Cache<ConfigMap>;
  readonly targets: Cache<ConfigMap>;

  constructor(options: MirrorOptions) {
    const { informers, source, target } = options;
    const sources = informers.cache({ resource: ConfigMaps, namespace: source });
    const targets = informers.cache({ resource: ConfigMaps, namespace: target });
    super({
      ...options,
      name: "mirror",
      reconcile: async (key, signal) => {
        await options.around(key, () => reconcile(key, sources, targets, options, signal));
        return done;
      },
    });
    this.sources = sources;
    this.targets = targets;
    this.watch(sources);
    this.watch(targets, { keys: ({ key }) => [keyOf({ namespace: source, name: parseKey(key).name })] });
  }
}

async function reconcile(
  key: ObjectKey,
  sources: Cache<ConfigMap>,
  targets: Cache<ConfigMap>,
  { client, target: namespace, fieldManager }: MirrorOptions,
  signal: AbortSignal,
): Promise<void> {
  const { name } = parseKey(key);
  if (name === "kube-root-ca.crt") return;
  const source = sources.get(key);
  const target = targets.get(keyOf({ namespace, name }));
  if (source && !jsonEqual(source.data, target?.data)) {
    const copy = { metadata: { namespace, name }, data: source.data ?? {} };
    await client.apply(ConfigMaps, copy, { fieldManager, force: true, signal });
  } else if (!source && target) {
    const { uid } = target.metadata;
    await client.delete(ConfigMaps, { namespace, name }, { uid, signal }).catch((error) => {
      if (!isNotFound(error)) throw error;
    });
  }
}

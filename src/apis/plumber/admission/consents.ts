import { CONSENTS, TRUTH } from "../../../kinds/plumber/words.ts";
import { isAlreadyExists, isNotFound } from "../../../kube/api_error.ts";
import { type ConfigMap, ConfigMaps } from "../../../kube/builtin.ts";
import type { Cache } from "../../../kube/cache/cache.ts";
import type { CallOptions, Writer } from "../../../kube/client.ts";
import { keyOf, type ObjectKey } from "../../../kube/object.ts";
import { fingerprint } from "../../../lib/hash.ts";
import { FIELD_MANAGER } from "../field_manager.ts";

/**
 * Which PVCs may use the backup identity of another namespace. It is kept where only the operator writes: a note on the
 * PVC could be there before any webhook looked at it.
 */
export class Consents {
  readonly #maps: Cache<ConfigMap>;
  readonly #home: string;

  constructor(maps: Cache<ConfigMap>, home: string) {
    this.#maps = maps;
    this.#home = home;
  }

  has(claim: ObjectKey, identity: string): boolean {
    return this.#entry(claim) === entryText(claim, identity);
  }

  /** Has exactly this identity written down for the PVC: undefined for none. */
  async write(
    client: Pick<Writer, "create" | "patch">,
    claim: ObjectKey,
    identity: string | undefined,
    call: CallOptions,
  ): Promise<void> {
    const entry = identity === undefined ? undefined : entryText(claim, identity);
    if (this.#entry(claim) === entry) return;
    const name = { namespace: this.#home, name: CONSENTS };
    const options = { ...call, fieldManager: FIELD_MANAGER };
    const patch = () =>
      client.patch(
        ConfigMaps,
        name,
        { type: "merge", patch: { data: { [entryKey(claim)]: entry ?? null } } as object },
        options,
      );
    const create = (data: Readonly<Record<string, string>>) =>
      client.create(
        ConfigMaps,
        { metadata: { ...name, labels: { [TRUTH.label]: "consents" } }, data },
        options,
      );
    try {
      await patch();
    } catch (error) {
      if (!isNotFound(error)) throw error;
      if (entry === undefined) return;
      await create({ [entryKey(claim)]: entry }).catch((failure: unknown) => {
        if (!isAlreadyExists(failure)) throw failure;
        return patch();
      });
    }
  }

  #entry(claim: ObjectKey): string | undefined {
    return this.#maps.get(keyOf({ namespace: this.#home, name: CONSENTS }))?.data?.[entryKey(claim)];
  }
}

/** Two names can be longer together than a key may be. */
const entryKey = (claim: ObjectKey): string => fingerprint(claim, 40);

const entryText = (claim: ObjectKey, identity: string): string => `${claim} ${identity}`;

import { apiVersionOf } from "../../kube/resource.ts";
import type { KindInfo } from "../kinds/kind_info.ts";

/** The kinds that are served now: the built-in ones, and those of the established CRDs. */
export class ServedKinds {
  readonly #builtin: readonly KindInfo[];
  readonly #custom = new Map<string, readonly KindInfo[]>();
  #all: readonly KindInfo[] = [];
  #byPath = new Map<string, KindInfo>();
  #byKind = new Map<string, KindInfo>();
  #groupVersions = new Set<string>();

  constructor(builtin: readonly KindInfo[]) {
    this.#builtin = builtin;
    this.#index();
  }

  /** Every served version of every kind. */
  get all(): readonly KindInfo[] {
    return this.#all;
  }

  find(group: string, version: string, plural: string): KindInfo | undefined {
    return this.#byPath.get(`${group}/${version}/${plural}`);
  }

  /** By what an object or an owner reference says of itself. */
  byKind(apiVersion: string, kind: string): KindInfo | undefined {
    return this.#byKind.get(`${apiVersion} ${kind}`);
  }

  /** True when anything is served under the group and version. */
  has(group: string, version: string): boolean {
    return this.#groupVersions.has(`${group}/${version}`);
  }

  /** True when the group has no built-in kinds. */
  isCustom(group: string): boolean {
    return !this.#builtin.some(({ resource }) => resource.group === group);
  }

  /** Replaces the kinds of one CRD; none removes it. */
  setCustom(crd: string, kinds: readonly KindInfo[]): void {
    if (kinds.length > 0) this.#custom.set(crd, kinds);
    else if (!this.#custom.delete(crd)) return;
    this.#index();
  }

  /** One served version of each kind: what is stored, once. */
  *stored(): Iterable<KindInfo> {
    const seen = new Set<string>();
    for (const kind of this.#all) {
      const { group, plural } = kind.resource;
      const key = `${plural}.${group}`;
      if (seen.has(key)) continue;
      seen.add(key);
      yield kind;
    }
  }

  #index(): void {
    this.#all = [...this.#builtin, ...[...this.#custom.values()].flat()];
    this.#byPath = new Map();
    this.#byKind = new Map();
    this.#groupVersions = new Set();
    for (const info of this.#all) {
      const { group, version, plural, kind } = info.resource;
      this.#byPath.set(`${group}/${version}/${plural}`, info);
      this.#byKind.set(`${apiVersionOf(info.resource)} ${kind}`, info);
      this.#groupVersions.add(`${group}/${version}`);
    }
  }
}

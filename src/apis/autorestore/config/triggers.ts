import { triggerNames } from "../../../kinds/autorestore/annotations.ts";
import type { KubeObject } from "../../../kube/object.ts";
import { fingerprint } from "../../../lib/hash.ts";

/** Something that an annotation asks for. */
export interface Trigger {
  readonly value: string;
  /** Every annotation that asks for it, to be removed once it is done. */
  readonly names: readonly string[];
  /** The same for as long as nobody touches the object: what is made for it is made once. */
  readonly mark: string;
}

const NOW = ["true", "now"];
const LATEST = [...NOW, "latest"];

/** What an object's annotations ask for, under either prefix. */
export function triggerOf(object: KubeObject, what: "backup" | "restore"): Trigger | undefined {
  const { annotations = {}, uid } = object.metadata;
  const names = triggerNames(what).filter((name) => annotations[name] !== undefined);
  const value = names.map((name) => annotations[name]?.trim()).find((one) => one);
  if (names.length === 0) return undefined;
  // An empty value, or "false", asks for nothing; the annotation goes all the same.
  const asked = value === undefined || value === "false" ? "" : value;
  return { value: asked, names, mark: fingerprint(`${uid} ${what} ${asked} ${stampOf(object)}`) };
}

/** When the annotation was written, as far as the object tells. */
function stampOf({ metadata }: KubeObject): string {
  return metadata.resourceVersion;
}

/** The name of a backup that somebody asks for. */
export function manualName(
  { value }: Trigger,
  { pvc, target, only }: { readonly pvc: string; readonly target: string; readonly only: boolean },
  now: number,
): string {
  const stamp = new Date(now).toISOString().slice(0, 19).replace(/[-:]/g, "").replace("T", "-");
  if (NOW.includes(value)) return only ? `manual-${pvc}-${stamp}` : `manual-${pvc}-${stamp}-${target}`;
  return only ? value : `${value}-${pvc}-${target}`;
}

/** What a restore that somebody asks for restores. */
export type Asked =
  | { readonly type: "Latest" }
  | { readonly type: "Backup"; readonly name: string }
  | { readonly type: "Snapshot"; readonly id: string };

export function askedRestore(value: string, isBackup: (name: string) => boolean): Asked {
  if (LATEST.includes(value)) return { type: "Latest" };
  if (!isBackup(value) && /^[0-9a-f]{8,64}$/.test(value)) return { type: "Snapshot", id: value };
  return { type: "Backup", name: value };
}

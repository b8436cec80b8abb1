import type { KubeObject } from "../../kube/object.ts";
import { fingerprint } from "../../lib/hash.ts";

/** Something that a person's annotation asks for. */
export interface Trigger {
  /** Empty where it asks for nothing: the annotation goes all the same. */
  readonly value: string;
  /** Every annotation that asks for it. */
  readonly names: readonly string[];
}

/** The same, once the operator has accepted it. Whatever is interrupted is made again under the same names. */
export interface Accepted {
  readonly value: string;
  /** When it was accepted, such as 20260524-120000. */
  readonly stamp: string;
  /** One for all that is made for it, and for nothing else. */
  readonly mark: string;
}

/** What an object's annotations of these names ask for. */
export function triggerIn({ metadata }: KubeObject, names: readonly string[]): Trigger | undefined {
  const { annotations = {} } = metadata;
  const asked = names.flatMap((name) => {
    const value = annotations[name]?.trim();
    return value === undefined ? [] : [{ name, value: value.toLowerCase() === "false" ? "" : value }];
  });
  if (asked.length === 0) return undefined;
  const value = asked.find((one) => one.value !== "")?.value ?? "";
  // One that asks for something else waits until this is done.
  return {
    value,
    names: asked.filter((one) => one.value === "" || one.value === value).map(({ name }) => name),
  };
}

/** The annotation that says that it was accepted now. */
export function acceptance({ value }: Trigger, now: number): string {
  const stamp = new Date(now).toISOString().slice(0, 19).replace(/[-:]/g, "").replace("T", "-");
  return `${stamp} ${value}`;
}

/** What was accepted, as the annotation of this name says, and may not be made yet. `what`: what is asked for. */
export function acceptedIn({ metadata }: KubeObject, name: string, what: string): Accepted | undefined {
  const text = metadata.annotations?.[name];
  const [, stamp, value] = /^(\d{8}-\d{6}) (.+)$/.exec(text ?? "") ?? [];
  if (stamp === undefined || value === undefined) return undefined;
  return { value, stamp, mark: fingerprint(`${metadata.uid} ${what} ${text}`) };
}

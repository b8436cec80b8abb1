import { jsonEqual } from "../../lib/json.ts";
import type { CallOptions, Patch, Writer } from "../client.ts";
import { Failure } from "../failure.ts";
import { type KubeObject, keyOf } from "../object.ts";
import type { Resource } from "../resource.ts";
import { mergePatch } from "./merge_patch.ts";

/** The largest status that is written, in bytes of JSON. */
export const MAX_STATUS = 16 * 1024;

/** The status to write is larger than MAX_STATUS. */
export class StatusTooLarge extends Error {
  override name = "StatusTooLarge";
  /** The field that takes the most room. */
  readonly field: string;

  constructor(object: KubeObject, status: object, size: number) {
    const [field, fieldSize] = largestField(status);
    super(
      `status of ${object.kind} ${keyOf(object)} is ${size} bytes, more than the ${MAX_STATUS} that are allowed: ` +
        `${field} takes ${fieldSize} of them. Keep fewer or shorter entries there`,
    );
    this.field = field;
  }
}

/** The API server took the status and kept nothing of what is new in it: whoever tried again would never end. */
export class StatusDropped extends Failure {
  override name = "StatusDropped";

  constructor({ kind, metadata }: KubeObject, change: object) {
    super(
      "structural",
      "StatusDropped",
      `the API server dropped ${Object.keys(change)
        .map((field) => `status.${field}`)
        .join(", ")} of ${kind} ${keyOf(metadata)}: its CustomResourceDefinition does not know it. ` +
        "Install the definitions of this version",
    );
  }
}

export interface StatusChange<T extends KubeObject> {
  readonly resource: Resource<T>;
  /** As it was read, its status included: `status` was decided from this state, and holds for no other. */
  readonly object: T;
  /** The whole status as it should be. */
  readonly status: object;
}

export interface WriteStatusOptions extends CallOptions {
  /** Default `subresource`; `object` for a kind that has no status subresource. */
  readonly on?: "subresource" | "object";
}

/**
 * Makes the status what it should be, and sends nothing when it is that already. Returns the object as it is
 * now. Throws a Conflict when the object has changed since it was read: look again and decide again.
 *
 * It sends the difference as a merge patch that names the resourceVersion. So fields that went away vanish; a
 * decision made on an old state never overwrites a newer one; conditions of other writers, which were in the
 * state that was read, survive although a list is replaced whole; and an informer may keep a projection,
 * as long as it keeps the status. Server-side apply would give the first, but not the second without the same
 * precondition, and would have the server keep a record of field owners that nobody else contends.
 */
export async function writeStatus<T extends KubeObject>(
  writer: Writer,
  change: StatusChange<T>,
  options: WriteStatusOptions = {},
): Promise<T> {
  const { resource, object, status } = change;
  const present = (object as { readonly status?: object }).status ?? {};
  if (jsonEqual(present, status)) return object;

  const size = sizeOf(status);
  if (size > MAX_STATUS) throw new StatusTooLarge(object, status, size);

  const { on = "subresource", ...call } = options;
  const patch = {
    metadata: { resourceVersion: object.metadata.resourceVersion },
    status: mergePatch({ ...present }, { ...status }),
  };
  const written = await writer.patch(
    resource,
    object.metadata,
    { type: "merge", patch } as unknown as Patch<T>,
    on === "subresource" ? { ...call, subresource: "status" } : call,
  );
  if (written.metadata.resourceVersion === object.metadata.resourceVersion)
    throw new StatusDropped(object, patch.status);
  return written;
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? "");
}

function largestField(status: object): readonly [field: string, size: number] {
  let largest: readonly [string, number] = ["status", 0];
  for (const [name, value] of Object.entries(status)) {
    const size = sizeOf(value);
    if (size > largest[1]) largest = [`status.${name}`, size];
  }
  return largest;
}

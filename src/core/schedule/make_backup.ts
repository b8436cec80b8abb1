import { isAlreadyExists, isNotFound } from "../../kube/api_error.ts";
import type { CallOptions, Client } from "../../kube/client.ts";
import { Failure, judge } from "../../kube/failure.ts";
import type { Draft, KubeObject } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";

/** The backup of a slot. Its name is the slot's, so that it can be made only once. */
export interface SlotBackup<B extends KubeObject> {
  readonly resource: Resource<B>;
  readonly draft: Draft<B>;
  /** Whether what has the name was made for the same slot by the same schedule. */
  isSame(found: B): boolean;
}

/**
 * Sees to it that there is a backup of the slot. Whether it is made now or was before, by whomever, makes no difference:
 * `Made` means that it is gone already, `Taken` that an object of another making has its name.
 */
export async function makeBackup<B extends KubeObject>(
  client: Pick<Client, "create" | "get">,
  { resource, draft, isSame }: SlotBackup<B>,
  call: CallOptions,
): Promise<B | "Made" | "Taken"> {
  const { name = "", namespace } = draft.metadata;
  try {
    return await client.create(resource, draft, call);
  } catch (error) {
    if (!isAlreadyExists(error)) throw refusalOf(error, name);
  }
  try {
    const found = await client.get(resource, { namespace, name }, call);
    return isSame(found) ? found : "Taken";
  } catch (error) {
    // It was there, and somebody deleted it: that is no reason to make it again.
    if (isNotFound(error)) return "Made";
    throw error;
  }
}

/** What the API server refuses for good, in words for whoever wants the backup; anything else as it is. */
export function refusalOf(error: unknown, name: string): unknown {
  const { class: kind, message } = judge(error);
  if (kind !== "structural") return error;
  return new Failure(
    "structural",
    "BackupRefused",
    `backup ${name} could not be created: ${message}. Put right what is said there; it is tried again every few minutes.`,
    { cause: error },
  );
}

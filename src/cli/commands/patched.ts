import type { ShownObject } from "../../core/view/shown_object.ts";
import type { Patch } from "../../kube/client.ts";
import type { Call } from "../frame/command.ts";
import type { Reference } from "../frame/kinds.ts";
import { printed } from "../frame/printed.ts";
import { namespaceOf } from "../frame/scope.ts";

/** Changes one object, and says what that means. */
export async function patched(
  call: Call,
  { resource, name }: Reference,
  patch: object,
  said: (object: ShownObject) => string,
): Promise<ShownObject> {
  const cluster = await call.cluster();
  const where = resource.namespaced ? { namespace: namespaceOf(call, cluster), name } : { name };
  const { signal, out } = call;
  const merge = { type: "merge", patch } as Patch<ShownObject>;
  const object = await cluster.client.patch(resource, where, merge, { signal, fieldManager: "holdfast-cli" });
  if (!(await printed(call, object))) out(said(object));
  return object;
}

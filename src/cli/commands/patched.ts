import type { Patch } from "../../kube/client.ts";
import type { Call } from "../frame/command.ts";
import type { NativeObject, Reference } from "../frame/kinds.ts";
import { printed } from "../frame/printed.ts";
import { namespaceOf } from "../frame/scope.ts";

/** Changes one object, and says what that means. */
export async function patched(
  call: Call,
  { resource, name }: Reference,
  patch: object,
  said: (object: NativeObject) => string,
): Promise<NativeObject> {
  const cluster = await call.cluster();
  const where = resource.namespaced ? { namespace: namespaceOf(call, cluster), name } : { name };
  const { signal, out } = call;
  const merge = { type: "merge", patch } as Patch<NativeObject>;
  const object = await cluster.client.patch(resource, where, merge, { signal, fieldManager: "holdfast-cli" });
  if (!(await printed(call, object))) out(said(object));
  return object;
}

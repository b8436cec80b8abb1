import { type Pod, Pods } from "../../kube/builtin.ts";
import type { CallOptions, Reader } from "../../kube/client.ts";

/** The pods that name a claim, whatever their state. */
export async function podsWith(
  reader: Pick<Reader, "list">,
  claim: { readonly namespace: string; readonly name: string },
  call: CallOptions = {},
): Promise<readonly Pod[]> {
  const { namespace, name } = claim;
  const { items } = await reader.list(Pods, { namespace, omitManagedFields: true, ...call });
  return items.filter(({ spec }) =>
    spec?.volumes?.some(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === name),
  );
}

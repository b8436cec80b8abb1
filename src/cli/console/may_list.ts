import { PersistentVolumeClaims, SelfSubjectAccessReviews } from "../../kube/builtin.ts";
import type { CallOptions, Writer } from "../../kube/client.ts";

/** Something that a person may do, or not. */
export interface AskedRight {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
}

/** Whether the API server lets whoever asks do this, in a namespace or in all. */
export async function mayDo(
  client: Pick<Writer, "create">,
  right: AskedRight,
  namespace: string | undefined,
  options: CallOptions,
): Promise<boolean> {
  const resourceAttributes = { ...right, ...(namespace === undefined ? {} : { namespace }) };
  const review = { metadata: { name: "" }, spec: { resourceAttributes } };
  return (await client.create(SelfSubjectAccessReviews, review, options)).status?.allowed === true;
}

/** Whether they may list volumes there. */
export function mayList(
  client: Pick<Writer, "create">,
  namespace: string | undefined,
  options: CallOptions,
): Promise<boolean> {
  const { group, plural: resource } = PersistentVolumeClaims;
  return mayDo(client, { verb: "list", group, resource }, namespace, options);
}

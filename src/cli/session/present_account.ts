import { MOVER_ACCOUNT } from "../../core/work/mover_accounts.ts";
import { isForbidden, isNotFound } from "../../kube/api_error.ts";
import { ServiceAccounts } from "../../kube/builtin.ts";
import type { CallOptions, Reader } from "../../kube/client.ts";

/** The movers' account, where the operator has made it: it has the Secrets that their image is pulled with. */
export async function presentAccount(
  reader: Pick<Reader, "get">,
  namespace: string,
  call: CallOptions,
): Promise<string | undefined> {
  try {
    await reader.get(ServiceAccounts, { namespace, name: MOVER_ACCOUNT }, call);
    return MOVER_ACCOUNT;
  } catch (error) {
    if (isNotFound(error) || isForbidden(error)) return undefined;
    throw error;
  }
}

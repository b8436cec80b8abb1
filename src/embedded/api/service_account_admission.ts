import { isRecord } from "../../lib/json.ts";
import type { KindInfo } from "../kinds/kind_info.ts";
import type { Store, Stored } from "../store/store.ts";
import { forbidden } from "./refusal.ts";

/** Every namespace has this one, or is about to. */
const DEFAULT_ACCOUNT = "default";

/** Refuses a pod whose service account is missing. */
export function checkServiceAccount(
  { custom, resource }: KindInfo,
  { metadata, spec }: Stored,
  store: Pick<Store, "get">,
): void {
  if (custom || resource.kind !== "Pod") return;
  const { serviceAccountName } = isRecord(spec) ? spec : {};
  const account = String(serviceAccountName || DEFAULT_ACCOUNT);
  const { namespace = "", name, generateName } = metadata;
  if (account === DEFAULT_ACCOUNT) return;
  if (store.get({ resource: "serviceaccounts", namespace, name: account })) return;
  // A name that the server has just made up means nothing to anybody.
  const known = generateName && name.startsWith(generateName) ? generateName : name;
  const why = `error looking up service account ${namespace}/${account}: serviceaccount ${JSON.stringify(account)} not found`;
  throw forbidden(resource, known, why);
}

import type { Session } from "../../../src/cli/console/contract.ts";
import type { ObjectRef } from "../../../src/core/view/shown_object.ts";

type Named = ObjectRef & { readonly api?: string | undefined };

/** A kind as the session names it. Kinds of several APIs may have a name in common; then the API decides, else the first. */
function kindOf(apis: Session["apis"], { kind, api }: Named) {
  const all = (apis ?? []).flatMap((one) => one.kinds.map((kind) => ({ ...kind, api: one.api })));
  const fitting = all.filter((one) => one.kind === kind);
  return fitting.find((one) => one.api === api) ?? fitting[0];
}

/** The resource of an object, as `plural.group`; undefined for a kind that the console cannot show. */
export function resourceOf(apis: Session["apis"], object: Named): string | undefined {
  if (object.kind === "PersistentVolumeClaim") return "persistentvolumeclaims";
  return kindOf(apis, object)?.resource;
}

/** An object as a command names it: `backup/monday`. */
export function referenceOf(apis: Session["apis"], object: Named): string {
  return `${kindOf(apis, object)?.word ?? object.kind.toLowerCase()}/${object.name}`;
}

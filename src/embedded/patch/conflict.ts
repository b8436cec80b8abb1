import type { Status } from "../../kube/api_error.ts";
import { type FieldSet, pathsOf, pathText } from "./field_set.ts";
import { identityOf, type Owner } from "./managed_fields.ts";

/** A manager owns fields that an apply wanted to change. */
export interface Conflict {
  readonly owner: Owner;
  readonly fields: FieldSet;
}

/** The API server's answer to an apply that met conflicts. */
export function conflictStatus(conflicts: readonly Conflict[]): Status {
  const named = [...conflicts]
    .sort((a, b) => (identityOf(a.owner) < identityOf(b.owner) ? -1 : 1))
    .map(({ owner, fields }) => ({ manager: managerText(owner), paths: [...pathsOf(fields)].map(pathText) }));
  const causes = named.flatMap(({ manager, paths }) =>
    paths.map((field) => ({ reason: "FieldManagerConflict", message: `conflict with ${manager}`, field })),
  );
  const [cause] = causes;
  const list = named.flatMap(({ manager, paths }) => [
    `conflicts with ${manager}:`,
    ...paths.map((path) => `- ${path}`),
  ]);
  const summary =
    causes.length === 1
      ? `1 conflict: ${cause?.message}: ${cause?.field}`
      : `${causes.length} conflicts: ${list.join("\n")}`;
  return { code: 409, reason: "Conflict", message: `Apply failed with ${summary}`, details: { causes } };
}

function managerText({ manager, operation, apiVersion, subresource }: Owner): string {
  const within = subresource ? ` with subresource ${JSON.stringify(subresource)}` : "";
  return `${JSON.stringify(manager)}${within}${operation === "Update" ? ` using ${apiVersion}` : ""}`;
}

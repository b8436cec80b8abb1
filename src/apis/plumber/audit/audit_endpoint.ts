import type { ServedRequest, ServedResponse, ServeRequest } from "../../../lib/https_server.ts";
import { repositoryText } from "../repositories.ts";
import type { PlumberWorld } from "../world.ts";
import { type AuditPlace, type AuditRow, auditRow } from "./audit_row.ts";

/** By which rows can be chosen. */
const FILTERS = [
  "namespace",
  "pvc",
  "action",
  "owner_classification",
  "label_source",
  "mode",
  "backup_exists",
  "stale",
] as const;

const COLUMNS = [
  "namespace",
  "pvc",
  "label_source",
  "action",
  "owner_classification",
  "mode",
  "tier",
  "backup_exists",
  "stale",
  "source_state",
  "decision",
] as const;

/** Answers /audit: every PVC as this API sees it, as JSON, or as a table with `?format=table`. */
export function auditEndpoint(world: PlumberWorld): ServeRequest {
  return ({ query }: Pick<ServedRequest, "query">): ServedResponse => {
    const unknown = [...query.keys()].find((key) => key !== "format" && !FILTERS.some((one) => one === key));
    const format = query.get("format") ?? "json";
    if (unknown !== undefined) {
      return text(400, `${unknown} is no filter: use ${FILTERS.join(", ")}, or format\n`);
    }
    if (format !== "json" && format !== "table")
      return text(400, `format is ${format}: it must be json or table\n`);
    if (!world.claims.synced || !world.maps.synced) return text(503, "the PVCs have not been read yet\n");
    const rows = auditRows(world).filter((row) =>
      FILTERS.every((filter) => !query.has(filter) || query.getAll(filter).includes(String(row[filter]))),
    );
    return format === "table" ? text(200, tableOf(rows)) : json({ pvcs: rows });
  };
}

export function auditRows(world: PlumberWorld): readonly AuditRow[] {
  const place = placeOf(world);
  return [...world.claims.values()]
    .filter(({ metadata }) => !world.isExcluded(metadata.namespace ?? "") && !isTemporary(metadata.labels))
    .map((claim) => auditRow({ ...world.observe(claim), object: claim }, place))
    .sort((a, b) => compare(a.namespace, b.namespace) || compare(a.pvc, b.pvc));
}

function placeOf({ settings, output, volsync }: PlumberWorld): AuditPlace {
  const isNative = settings.output === "native";
  const secret = isNative ? {} : { repository_secret: settings.repoSecretName };
  return {
    names(pvc) {
      const { config, schedule, restore } = output.names(pvc);
      return isNative
        ? { backup_config: config, backup_schedule: schedule, restore }
        : { replication_source: schedule, replication_destination: restore };
    },
    repository: { repository: repositoryText(settings.repository), ...secret },
    volsync,
  };
}

/** PVCs that come and go with runs. */
const isTemporary = (labels: Readonly<Record<string, string>> | undefined) =>
  labels?.["app.kubernetes.io/managed-by"] === "holdfast";

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

function tableOf(rows: readonly AuditRow[]): string {
  const lines = [
    COLUMNS.map((name) => name.toUpperCase()),
    ...rows.map((row) => COLUMNS.map((name) => String(row[name]) || "-")),
  ];
  const widths = COLUMNS.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map(
      (line) =>
        `${line
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}

function json(value: unknown): ServedResponse {
  return {
    status: 200,
    headers: { "content-type": "application/json", "cache-control": "no-store" },
    body: `${JSON.stringify(value)}\n`,
  };
}

function text(status: number, body: string): ServedResponse {
  return {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
    body,
  };
}

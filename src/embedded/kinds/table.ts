import type { PrinterColumn } from "../../kube/schema/kind.ts";
import type { Stored } from "../store/store.ts";
import { ageOf } from "./age.ts";
import { jsonPath } from "./json_path.ts";
import type { KindInfo } from "./kind_info.ts";
import { builtinColumns, type Cell, type Column, plainColumns } from "./printers.ts";

/** What a row of a table carries beside its cells. */
export type IncludeObject = "None" | "Metadata" | "Object";

/** How to show a table. */
export interface TableOptions {
  readonly includeObject: IncludeObject;
  /** For ages, in milliseconds since 1970. */
  readonly now: number;
}

/** Objects as `kubectl get` shows them: a meta.k8s.io/v1 Table without its metadata. */
export function tableOf(kind: KindInfo, objects: readonly Stored[], options: TableOptions): object {
  const own = builtinColumns[kind.resource.kind] ?? plainColumns;
  const columns: readonly TableColumn[] = kind.custom ? customColumns(kind) : own;
  return {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    columnDefinitions: columns.map(({ name, type, format, description, priority, wide }) => ({
      name,
      type: type ?? "string",
      format: format ?? (name === "Name" ? "name" : ""),
      description: description ?? "",
      priority: priority ?? (wide ? 1 : 0),
    })),
    rows: objects.map((object) => ({
      cells: columns.map(({ cell }) => cell(object, options.now)),
      ...conditions(kind, object),
      ...(options.includeObject === "None" ? {} : { object: carried(object, options.includeObject) }),
    })),
  };
}

function carried(object: Stored, include: "Metadata" | "Object"): object {
  if (include === "Object") return object;
  return { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: object.metadata };
}

/** kubectl may leave out what is over. */
function conditions({ custom, resource }: KindInfo, { status }: Stored): object {
  const { phase } = (status ?? {}) as { readonly phase?: string };
  if (custom || resource.kind !== "Pod" || (phase !== "Succeeded" && phase !== "Failed")) return {};
  const message = phase === "Failed" ? "The pod failed." : "The pod has completed successfully.";
  return { conditions: [{ type: "Completed", status: "True", reason: phase, message }] };
}

interface TableColumn extends Omit<Column, "type" | "cell"> {
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly cell: (object: Stored, now: number) => Cell | null;
}

function customColumns({ columns }: KindInfo): readonly TableColumn[] {
  const name: TableColumn = { name: "Name", cell: ({ metadata }) => metadata.name };
  const own = columns.map((column): TableColumn => {
    const find = jsonPath(column.jsonPath);
    const { jsonPath: path, ...rest } = column;
    return {
      description: `Custom resource definition column (in JSONPath format): ${path}`,
      ...rest,
      cell: (object, now) => customCell(column.type, find(object)[0], now),
    };
  });
  return [name, ...own];
}

/** The value, where it is of the column's type; text is made of everything. */
function customCell(type: PrinterColumn["type"], value: unknown, now: number): Cell | null {
  if (value === undefined || value === null) return null;
  switch (type) {
    case "date":
      if (typeof value !== "string") return null;
      return Number.isNaN(Date.parse(value)) ? "<invalid>" : ageOf(value, now);
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : null;
    case "number":
      return typeof value === "number" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    default:
      return typeof value === "object" ? JSON.stringify(value) : String(value);
  }
}

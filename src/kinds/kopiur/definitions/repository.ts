import { z } from "zod";
import { defineKind, type PrinterColumn } from "../../../kube/schema/kind.ts";
import type { ValidationRule } from "../../../kube/schema/structural.ts";
import { GROUP, VERSION } from "../group.ts";
import { AGE, KIND_NAMES, PHASE, REASON } from "./columns.ts";
import { repositoryFields, withRepositoryRules } from "./repository_spec.ts";
import { repositoryStatusFields } from "./repository_status.ts";
import { allowedNamespaces } from "./selectors.ts";
import { unchanged } from "./unchanged.ts";

/** What a repository was created with is part of its data from then on. */
export const CREATION_IS_FINAL: readonly ValidationRule[] = [
  ["spec.engine", "engine"],
  ["spec.create.encryption", "create.encryption"],
  ["spec.create.splitter", "create.splitter"],
  ["spec.create.hash", "create.hash"],
].map(([path = "", field]) => ({
  rule: `!has(oldSelf.status) || !has(oldSelf.status.uniqueID) || (${unchanged(path)})`,
  message: `${field} is immutable once the repository exists: create a new Repository to change it`,
  fieldPath: `.${path}`,
}));

export const REPOSITORY_COLUMNS: readonly PrinterColumn[] = [
  PHASE,
  { name: "Engine", type: "string", jsonPath: ".spec.engine" },
  { name: "Backend", type: "string", jsonPath: ".status.backend" },
  { name: "Snapshots", type: "integer", jsonPath: ".status.storageStats.snapshotCount" },
  { name: "Size", type: "string", jsonPath: ".status.storageStats.totalSize" },
  { name: "Last-Contact", type: "date", jsonPath: ".status.lastContactAt", priority: 1 },
  REASON,
  AGE,
];

export const repository = defineKind({
  ...KIND_NAMES,
  group: GROUP,
  version: VERSION,
  kind: "Repository",
  plural: "repositories",
  shortNames: ["kopiarepo"],
  scope: "Namespaced",
  description: "A repository that belongs to one namespace: where it is, and how to open it.",
  spec: withRepositoryRules(
    z.object({
      ...repositoryFields("Namespaced"),
      allowedNamespaces: allowedNamespaces()
        .describe(
          "Other namespaces that may use the repository: exactly one way to name them. Default: none, except for users who may read this object.",
        )
        .optional(),
    }),
  ).describe("Where the repository is, and how to use it."),
  status: z.object(repositoryStatusFields()).describe("The observed state of the repository."),
  rules: CREATION_IS_FINAL,
  printerColumns: REPOSITORY_COLUMNS,
});

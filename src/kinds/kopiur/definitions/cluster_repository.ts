import { z } from "zod";
import { defineKind } from "../../../kube/schema/kind.ts";
import { GROUP, VERSION } from "../group.ts";
import { KIND_NAMES } from "./columns.ts";
import { CREATION_IS_FINAL, REPOSITORY_COLUMNS } from "./repository.ts";
import { repositoryFields, withRepositoryRules } from "./repository_spec.ts";
import { repositoryStatusFields } from "./repository_status.ts";
import { allowedNamespaces } from "./selectors.ts";
import { count, text } from "./words.ts";

const template = () => text(512).min(1);

export const clusterRepository = defineKind({
  ...KIND_NAMES,
  group: GROUP,
  version: VERSION,
  kind: "ClusterRepository",
  plural: "clusterrepositories",
  shortNames: ["kopiacrepo"],
  scope: "Cluster",
  description: "A repository that a platform team shares with the namespaces that it names.",
  spec: withRepositoryRules(
    z.object({
      ...repositoryFields("Cluster"),
      allowedNamespaces: allowedNamespaces().describe(
        "Namespaces that may use the repository: exactly one way to name them.",
      ),
      identityDefaults: z
        .object({
          hostnameTemplate: template()
            .describe("Host name, such as `{{ .Namespace }}`. Default: the namespace of the BackupConfig.")
            .optional(),
          usernameTemplate: template()
            .describe(
              "User name, such as `{{ .Namespace }}-{{ .ConfigName }}`. Default: the BackupConfig's name.",
            )
            .optional(),
        })
        .describe("Identity of BackupConfigs that set none, as Go templates.")
        .optional(),
    }),
  ).describe("Where the repository is, how to use it, and who may."),
  status: z
    .object({
      ...repositoryStatusFields(),
      allowedNamespaceCount: count()
        .describe("Number of namespaces that may use the repository now.")
        .optional(),
    })
    .describe("The observed state of the repository."),
  rules: CREATION_IS_FINAL,
  printerColumns: REPOSITORY_COLUMNS,
});

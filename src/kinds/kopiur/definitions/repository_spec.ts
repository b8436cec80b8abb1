import { z } from "zod";
import type { ValidationRule } from "../../../kube/schema/structural.ts";
import * as v from "../../../kube/schema/vocabulary.ts";
import { MOST_DELETIONS } from "../deletion_limits.ts";
import { backend } from "./backend.ts";
import { cache } from "./cache.ts";
import { ENCRYPTIONS, HASHES, SPLITTERS } from "./engine_policy.ts";
import { mover } from "./mover.ts";
import type { Scope } from "./scope.ts";
import { secretKeyRef } from "./secret_ref.ts";
import { count, namespaceName, text } from "./words.ts";

const create = () =>
  z
    .object({
      enabled: z
        .boolean()
        .describe(
          "Create the repository if there certainly is none. An existing one is used as it is. Default: the chart's createRepositories.enabled, which is false.",
        )
        .optional(),
      encryption: z.enum(ENCRYPTIONS).describe("kopia's cipher for a new repository.").optional(),
      splitter: z
        .enum(SPLITTERS)
        .describe("kopia's splitter for a new repository. Default: DYNAMIC-4M-BUZHASH.")
        .optional(),
      hash: z.enum(HASHES).describe("kopia's hash for a new repository. Default: BLAKE3-256-128.").optional(),
    })
    .prefault({})
    .describe(
      "Whether and how to create the repository. The encryption, splitter and hash of a repository never change.",
    );

const catalog = (scope: Scope) =>
  z
    .object({
      enabled: z
        .boolean()
        .default(true)
        .describe("Show the snapshots of other programs and clusters as Backups of origin discovered."),
      retain: z
        .object({
          perIdentity: count()
            .default(100)
            .describe("How many of the newest snapshots of an identity to show."),
          maxAgeDays: z.int().min(1).default(90).describe("Days after which to hide a snapshot."),
        })
        .prefault({})
        .describe(
          "How many snapshots to show. Hidden snapshots stay in the repository; restore them by identity.",
        ),
      refreshInterval: v
        .duration()
        .default("5m")
        .describe("How often to read the repository, at most every ten seconds."),
      ...(scope === "Cluster"
        ? {
            fallbackNamespace: namespaceName()
              .describe(
                "Namespace for snapshots whose host name is not an allowed namespace. Default: the operator's.",
              )
              .optional(),
          }
        : {}),
    })
    .prefault({})
    .describe("How to show the repository's snapshots in the cluster.");

/** The fields that Repository and ClusterRepository share. */
export const repositoryFields = (scope: Scope) => ({
  engine: z.enum(["kopia", "restic"]).default("kopia").describe("The program that stores the snapshots."),
  backend: backend(scope),
  encryption: z
    .object({
      passwordSecretRef: secretKeyRef(scope, "KOPIA_PASSWORD").describe(
        "The repository's password. Keep a copy outside the cluster: without it, all backups are lost.",
      ),
    })
    .describe("How the repository is encrypted."),
  create: create(),
  access: z
    .object({
      readOnly: z
        .boolean()
        .default(false)
        .describe(
          "Write nothing to the repository: restores, lists and browsing work; backups, maintenance, unlocking and deletions are refused.",
        ),
    })
    .describe("How the repository may be used. Default: for everything.")
    .optional(),
  cacheDefaults: cache().describe("Default cache of the movers.").optional(),
  moverDefaults: mover()
    .describe("Default settings of the movers. The object that a mover runs for can override each field.")
    .optional(),
  catalog: catalog(scope),
  concurrency: z
    .object({
      maxRuns: z
        .int()
        .min(1)
        .max(1000)
        .default(4)
        .describe("How many movers may use the repository at once."),
    })
    .prefault({})
    .describe("How many runs may use the repository at once. Further runs wait in a fair queue."),
  rateLimits: z
    .object({
      upload: v.quantity().describe("Bytes per second that a mover may send.").optional(),
      download: v.quantity().describe("Bytes per second that a mover may receive.").optional(),
    })
    .describe("Rate limits of a mover. Default: none.")
    .optional(),
  maintenance: z
    .object({
      enabled: z
        .boolean()
        .default(true)
        .describe("Create a Maintenance with default settings if there is none."),
    })
    .prefault({})
    .describe("Maintenance of the repository."),
  deletionGuard: z
    .object({
      maxDeletions: z
        .int()
        .min(1)
        .max(MOST_DELETIONS)
        .default(20)
        .describe("How many Backups may be deleted by anyone but the operator."),
      window: v.duration().default("10m").describe("Within which time."),
      lastBackups: z
        .enum(["Hold", "Delete"])
        .default("Hold")
        .describe(
          "Deletions of the last good Backup of a volume, or of most Backups of a BackupConfig: `Hold` them too, or `Delete` at once.",
        ),
    })
    .prefault({})
    .describe("Holds the deletions if there are more than this, until they are acknowledged."),
  kopiaImageOverride: text(512)
    .describe("Image of the movers. It must hold the same mover. Default: the operator's.")
    .optional(),
});

const RULES: readonly ValidationRule[] = [
  {
    rule: "self.engine != 'restic' || !has(self.backend.webDav)",
    message: "restic cannot use WebDAV: use another backend, or engine kopia",
    fieldPath: ".backend",
  },
  {
    rule: "self.engine != 'restic' || !(has(self.create.encryption) || has(self.create.splitter) || has(self.create.hash))",
    message: "restic has no choice of encryption, splitter and hash: leave them out, or use engine kopia",
    fieldPath: ".create",
  },
  {
    rule: "!has(self.access) || !self.access.readOnly || !has(self.create.enabled) || !self.create.enabled",
    message: "a read-only repository is never created: set create.enabled or access.readOnly to false",
    fieldPath: ".create.enabled",
  },
];

/** Rules about several fields. */
export const withRepositoryRules = <S extends z.ZodObject>(spec: S): S =>
  RULES.reduce((ruled, one) => v.rule(ruled, one), spec);

import { z } from "zod";
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
        .default(false)
        .describe("Create the repository where there definitely is none. An existing one is used as it is."),
      encryption: z.enum(ENCRYPTIONS).describe("kopia's cipher for a new repository.").optional(),
      splitter: z
        .enum(SPLITTERS)
        .describe("kopia's splitter for a new repository. Default: DYNAMIC-4M-BUZHASH.")
        .optional(),
      hash: z.enum(HASHES).describe("kopia's hash for a new repository. Default: BLAKE3-256-128.").optional(),
    })
    .prefault({})
    .describe("Whether and how the repository is created. What it was created with never changes again.");

const catalog = (scope: Scope) =>
  z
    .object({
      enabled: z
        .boolean()
        .default(true)
        .describe("Show the snapshots of others as Backups of origin discovered."),
      retain: z
        .object({
          perIdentity: count().default(100).describe("Newest snapshots of an identity that are shown."),
          maxAgeDays: z.int().min(1).default(90).describe("Days after which a snapshot is no longer shown."),
        })
        .prefault({})
        .describe("How much of it is shown. The snapshots themselves stay, and can be restored by identity."),
      refreshInterval: v
        .duration()
        .default("5m")
        .describe("How often the repository is read, at most every ten seconds."),
      ...(scope === "Cluster"
        ? {
            fallbackNamespace: namespaceName()
              .describe(
                "Where snapshots are shown whose host name is no allowed namespace. Default: the operator's.",
              )
              .optional(),
          }
        : {}),
    })
    .prefault({})
    .describe("How the repository's own list of snapshots is shown in the cluster.");

/** The fields that Repository and ClusterRepository share. */
export const repositoryFields = (scope: Scope) => ({
  engine: z.enum(["kopia", "restic"]).default("kopia").describe("The program that keeps the snapshots."),
  backend: backend(scope),
  encryption: z
    .object({
      passwordSecretRef: secretKeyRef(scope, "KOPIA_PASSWORD").describe(
        "The repository's password. Without it nothing can be restored: keep a copy outside of the cluster.",
      ),
    })
    .describe("How the repository is encrypted."),
  create: create(),
  cacheDefaults: cache().describe("Cache of the movers, unless they say otherwise.").optional(),
  moverDefaults: mover()
    .describe("Settings of the movers, field by field, unless what they run for says otherwise.")
    .optional(),
  catalog: catalog(scope),
  concurrency: z
    .object({
      maxRuns: z.int().min(1).max(1000).default(4).describe("Movers that use the repository at once."),
    })
    .prefault({})
    .describe("How much is done at once. What is more waits in a fair queue."),
  rateLimits: z
    .object({
      upload: v.quantity().describe("Bytes a second that a mover sends.").optional(),
      download: v.quantity().describe("Bytes a second that a mover receives.").optional(),
    })
    .describe("How fast a mover may be. Default: as fast as it can.")
    .optional(),
  maintenance: z
    .object({
      enabled: z
        .boolean()
        .default(true)
        .describe("Create a Maintenance with its defaults when there is none."),
    })
    .prefault({})
    .describe("The repository's housekeeping."),
  deletionGuard: z
    .object({
      maxDeletions: z
        .int()
        .min(1)
        .max(MOST_DELETIONS)
        .default(20)
        .describe("Deletions of Backups by others than the operator."),
      window: v.duration().default("10m").describe("Within this time."),
    })
    .prefault({})
    .describe("More deletions than this are held until someone acknowledges them."),
  kopiaImageOverride: text(512)
    .describe("Image of the movers instead of the operator's own. It must hold the same mover.")
    .optional(),
});

/** What the fields must satisfy together. */
export const withRepositoryRules = <S extends z.ZodObject>(spec: S): S =>
  v.rule(
    v.rule(spec, {
      rule: "self.engine != 'restic' || !has(self.backend.webDav)",
      message: "restic cannot use WebDAV: use another backend, or engine kopia",
      fieldPath: ".backend",
    }),
    {
      rule: "self.engine != 'restic' || !(has(self.create.encryption) || has(self.create.splitter) || has(self.create.hash))",
      message: "restic has no choice of encryption, splitter and hash: leave them out, or use engine kopia",
      fieldPath: ".create",
    },
  );

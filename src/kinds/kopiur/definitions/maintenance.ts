import { z } from "zod";
import { defineKind } from "../../../kube/schema/kind.ts";
import * as v from "../../../kube/schema/vocabulary.ts";
import { GROUP, VERSION } from "../group.ts";
import { AGE, KIND_NAMES, PHASE, REASON } from "./columns.ts";
import { failurePolicy } from "./failure_policy.ts";
import { maintenanceStatus } from "./maintenance_status.ts";
import { mover } from "./mover.ts";
import { repositoryRef } from "./references.ts";
import { cron, jitter, timezone } from "./schedule.ts";
import { text } from "./words.ts";

const turn = (defaults: { readonly cron: string; readonly jitter: string }) =>
  z
    .object({
      cron: cron().default(defaults.cron).describe("When to run, in five fields of cron."),
      jitter: jitter().default(defaults.jitter),
    })
    .prefault({});

const schedule = z
  .object({
    quick: turn({ cron: "0 */6 * * *", jitter: "30m" }).describe("Quick maintenance, which is cheap."),
    full: turn({ cron: "0 3 * * 0", jitter: "1h" }).describe(
      "Full maintenance, which frees the space of deleted snapshots.",
    ),
    timezone: timezone(),
    suspend: z
      .boolean()
      .default(false)
      .describe("Start no more scheduled runs. A running one continues, and requested runs still start."),
  })
  .prefault({});

const ownership = z
  .object({
    owner: text(253)
      .min(1)
      .describe(
        "Name of the maintainer that kopia records in the repository. Clusters that share a repository need different names. Default: kopiur/ and the repository's name.",
      )
      .optional(),
    takeoverPolicy: z
      .enum(["Never", "PromptCondition", "Force"])
      .default("PromptCondition")
      .describe(
        "What to do if the repository records another maintainer. Never: leave it alone. PromptCondition: wait for an acknowledgement. Force: take over.",
      ),
  })
  .prefault({});

export const maintenance = defineKind({
  ...KIND_NAMES,
  group: GROUP,
  version: VERSION,
  kind: "Maintenance",
  plural: "maintenances",
  shortNames: ["kopiamaint"],
  scope: "Namespaced",
  description:
    "Pruning and checks of a repository: when they run, and under which name. A repository has at most one Maintenance.",
  spec: v
    .immutableFields(
      z.object({
        repository: repositoryRef().describe("The repository."),
        schedule: schedule.describe("When to run."),
        ownership: ownership.describe("Who maintains the repository."),
        check: z
          .object({
            afterEach: z
              .boolean()
              .default(true)
              .describe(
                "After every run, check in the same pod that the storage holds everything that the repository's index names. This reads no data.",
              ),
            afterFull: z
              .boolean()
              .default(true)
              .describe("After every full run, check every folder of every snapshot in a pod of its own."),
            dataPercent: z
              .int()
              .min(0)
              .max(100)
              .default(0)
              .describe("Percentage of the stored data that a check reads and verifies."),
          })
          .prefault({})
          .describe("Checks of the repository."),
        mover: mover().describe("The pods that do the work.").optional(),
        failurePolicy: failurePolicy({ backoffLimit: 1, activeDeadlineSeconds: 14_400 }).describe(
          "Retries and deadline.",
        ),
      }),
      "repository",
    )
    .describe("Which repository to maintain, when, and under which name."),
  status: maintenanceStatus,
  printerColumns: [
    PHASE,
    { name: "Repository", type: "string", jsonPath: ".spec.repository.name" },
    { name: "Owner", type: "string", jsonPath: ".status.ownership.owner" },
    { name: "Last-Quick", type: "date", jsonPath: ".status.quick.lastRunAt" },
    { name: "Last-Full", type: "date", jsonPath: ".status.full.lastRunAt" },
    { name: "Reclaimed", type: "string", jsonPath: ".status.full.lastContentReclaimed", priority: 1 },
    REASON,
    AGE,
  ],
});

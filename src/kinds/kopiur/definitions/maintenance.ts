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
      cron: cron().default(defaults.cron).describe("When, in five fields of cron."),
      jitter: jitter().default(defaults.jitter),
    })
    .prefault({});

const schedule = z
  .object({
    quick: turn({ cron: "0 */6 * * *", jitter: "30m" }).describe("Cheap housekeeping."),
    full: turn({ cron: "0 3 * * 0", jitter: "1h" }).describe("Gives back the space of what was deleted."),
    timezone: timezone(),
    suspend: z
      .boolean()
      .default(false)
      .describe("Begin no more runs by schedule. What runs goes on, and what somebody asks for is done."),
  })
  .prefault({});

const ownership = z
  .object({
    owner: text(253)
      .min(1)
      .describe(
        "Name under which the repository is maintained. Clusters that share a repository need different ones. Default: kopiur/ and the repository's name.",
      )
      .optional(),
    takeoverPolicy: z
      .enum(["Never", "PromptCondition", "Force"])
      .default("PromptCondition")
      .describe(
        "What follows from a repository that somebody else maintains: it is left alone, someone is asked by a condition, or it is taken over.",
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
    "The housekeeping of a repository: when it runs, and who does it. A repository has at most one.",
  spec: v
    .immutableFields(
      z.object({
        repository: repositoryRef().describe("The repository."),
        schedule: schedule.describe("When it runs."),
        ownership: ownership.describe("Who maintains the repository: one at a time."),
        check: z
          .object({
            afterEach: z
              .boolean()
              .default(true)
              .describe(
                "Check after every run, in the same pod, that the storage holds everything that the repository's index names. This reads no data.",
              ),
            afterFull: z
              .boolean()
              .default(true)
              .describe("Check after every full run, in a pod of its own, every folder of every snapshot."),
            dataPercent: z
              .int()
              .min(0)
              .max(100)
              .default(0)
              .describe("Share of the stored data that a check reads and verifies."),
          })
          .prefault({})
          .describe("Checks of the repository."),
        mover: mover().describe("The pods that do the work.").optional(),
        failurePolicy: failurePolicy({ backoffLimit: 1, activeDeadlineSeconds: 14_400 }).describe(
          "How long and how often it is tried.",
        ),
      }),
      "repository",
    )
    .describe("Which repository is maintained, when, and by whom."),
  status: maintenanceStatus,
  printerColumns: [
    PHASE,
    { name: "Repository", type: "string", jsonPath: ".spec.repository.name" },
    { name: "Owner", type: "string", jsonPath: ".status.ownership.owner" },
    { name: "Last-Quick", type: "date", jsonPath: ".status.quick.lastRunAt" },
    { name: "Last-Full", type: "date", jsonPath: ".status.full.lastRunAt" },
    { name: "Reclaimed", type: "integer", jsonPath: ".status.full.lastContentReclaimedBytes", priority: 1 },
    REASON,
    AGE,
  ],
});

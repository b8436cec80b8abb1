import { z } from "zod";
import { defineKind } from "../../../kube/schema/kind.ts";
import { GROUP, VERSION } from "../group.ts";
import { AGE, applicationType, KIND_NAMES, parameters, strategyRef } from "./parts.ts";

const strategy = z.object({
  strategyRef: strategyRef().describe("The strategy that backs these applications up."),
  application: applicationType().describe("The type of application that this strategy is for."),
  parameters: parameters()
    .describe(
      "Values for the templates of the strategy, such as `backupStorageLocationName`. A job keeps those that it began with.",
    )
    .optional(),
});

export const backupClass = defineKind({
  ...KIND_NAMES,
  group: GROUP,
  version: VERSION,
  kind: "BackupClass",
  plural: "backupclasses",
  scope: "Cluster",
  description: "How and where the applications of a cluster are backed up, by their type.",
  spec: z
    .object({
      strategies: z
        .array(strategy)
        .min(1)
        .max(64)
        .describe("Strategies by type of application. The first one that matches is used."),
    })
    .describe("The strategies."),
  printerColumns: [
    { name: "Strategy", type: "string", jsonPath: ".spec.strategies[0].strategyRef.kind" },
    { name: "For", type: "string", jsonPath: ".spec.strategies[0].application.kind" },
    AGE,
  ],
});

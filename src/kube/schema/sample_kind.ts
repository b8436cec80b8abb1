import { z } from "zod";
import { defineKind } from "./kind.ts";
import * as v from "./vocabulary.ts";

const text = (about: string, max = 253) => z.string().max(max).describe(about);

const item = z
  .object({
    name: v.objectName().describe("Tells the items apart."),
    protocol: z.enum(["TCP", "UDP"]).default("TCP").describe("Half of the key."),
    port: v.intOrString().describe("By number or by name.").optional(),
    serial: v.immutable(z.int().min(0).describe("Given once.")).optional(),
  })
  .describe("One of several.");

const backend = v.oneOf({
  s3: z
    .object({
      bucket: z.string().min(3).max(63).describe("Where to."),
      pathStyle: z.boolean().default(false).describe("The old way of addressing."),
    })
    .describe("An object store."),
  filesystem: z.object({ path: text("A folder.", 4096) }).describe("A folder on a volume."),
});

const spec = v
  .immutableFields(
    v.setOnce(
      z.object({
        backend: backend.describe("Exactly one."),
        namespace: text("A word that rules must escape.", 63).optional(),
        owner: text("Fixed from the first moment, present or not.").optional(),
        snapshot: text("Fixed once it is there.").optional(),
        mode: v.immutable(z.enum(["Full", "Fast"]).default("Full").describe("Never changes.")),
        replicas: z.int().min(0).max(10).default(1).describe("How many."),
        ratio: z.number().min(0).max(1).nullable().describe("A share, or null for none.").optional(),
        size: v.quantity().describe("How much.").optional(),
        timeout: v.duration().default("30s").describe("How long."),
        after: v.timestamp().describe("From when on.").optional(),
        tags: v.listSet(z.string().max(20).describe("A word."), 8).describe("Words.").optional(),
        items: v.listMap(item, ["name", "protocol"], 8).describe("Told apart by two fields.").optional(),
        labels: v.labels().describe("For what is made.").optional(),
        annotations: v.annotations().describe("For what is made.").optional(),
        podTemplate: v.opaque().describe("A PodTemplateSpec.").optional(),
        object: v.embeddedObject().describe("Any object.").optional(),
        window: v
          .rule(
            z.object({
              from: z.int().min(0).max(24).describe("First hour."),
              until: z.int().min(0).max(24).describe("Last hour."),
            }),
            { rule: "self.from < self.until", message: "from must be before until", fieldPath: ".from" },
          )
          .describe("Hours of the day.")
          .optional(),
      }),
      "snapshot",
    ),
    "owner",
    "namespace",
  )
  .describe("What is wanted.");

/** A kind that uses every word of the vocabulary; it is in no release. */
export const sampleKind = defineKind({
  group: "sample.test.holdfast.dev",
  version: "v1alpha1",
  kind: "Sample",
  plural: "samples",
  shortNames: ["smp"],
  categories: ["holdfast-test"],
  scope: "Namespaced",
  description: "A kind that uses every word of the vocabulary.",
  spec,
  status: z
    .object({
      observedGeneration: z.int().min(0).describe("The generation that the rest speaks of.").optional(),
      replicas: z.int().min(0).describe("How many there are.").optional(),
      selector: text("Which pods they are.", 1024).optional(),
      phase: text("Where it stands.", 32).optional(),
    })
    .describe("What was seen."),
  rules: [{ rule: "self.metadata.name.size() <= 40", message: "the name may have at most 40 characters" }],
  printerColumns: [
    { name: "Phase", type: "string", jsonPath: ".status.phase", description: "Where it stands" },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    { name: "First", type: "string", jsonPath: ".spec.items[0].name", priority: 1 },
  ],
  scale: {
    specReplicasPath: ".spec.replicas",
    statusReplicasPath: ".status.replicas",
    labelSelectorPath: ".status.selector",
  },
});

import { z } from "zod";
import * as v from "../../../kube/schema/vocabulary.ts";
import { namespaceName, text } from "./words.ts";

const requirement = v.rule(
  z.object({
    key: text(317).min(1).describe("Key of the label."),
    operator: z.enum(["In", "NotIn", "Exists", "DoesNotExist"]).describe("How to compare key and values."),
    values: z.array(text(63)).max(32).describe("Values, for In and NotIn.").optional(),
  }),
  {
    rule: "(self.operator in ['In', 'NotIn']) == (has(self.values) && size(self.values) > 0)",
    message: "values must be given for In and NotIn, and only for them",
  },
);

/** Kubernetes' own selector of labels. */
export const labelSelector = () =>
  z
    .object({
      matchLabels: v.labels().describe("Labels that must all be present.").optional(),
      matchExpressions: z.array(requirement).max(16).describe("Requirements that must all hold.").optional(),
    })
    .meta({ "x-kubernetes-map-type": "atomic" });

/** Which namespaces may use an object. */
export const allowedNamespaces = () =>
  v.oneOf({
    list: v.listSet(namespaceName(), 256).describe("These namespaces."),
    selector: labelSelector().describe("Namespaces with these labels."),
    all: z.literal(true).describe("Every namespace."),
  });

import { z } from "zod";
import * as v from "../../../kube/schema/vocabulary.ts";
import { namespaceName } from "./words.ts";

/** A Repository or a ClusterRepository. */
export const repositoryRef = () =>
  v.rule(
    z.object({
      kind: z
        .enum(["Repository", "ClusterRepository"])
        .default("Repository")
        .describe("Which of the two kinds."),
      name: v.objectName().describe("Its name."),
      namespace: namespaceName()
        .describe("Namespace of a Repository. Default: this object's own. A ClusterRepository has none.")
        .optional(),
    }),
    {
      rule: "self.kind != 'ClusterRepository' || !has(self.__namespace__)",
      message: "namespace must not be set for a ClusterRepository, which has none",
      reason: "FieldValueForbidden",
      fieldPath: ".namespace",
    },
  );

/** An object by name, of this namespace. */
export const localRef = (what: string) => z.object({ name: v.objectName().describe(`Name of the ${what}.`) });

/** An object by name, of this namespace or another that consents. */
export const namespacedRef = (what: string) =>
  z.object({
    name: v.objectName().describe(`Name of the ${what}.`),
    namespace: namespaceName()
      .describe("Its namespace. Default: this object's own. Another namespace must allow it.")
      .optional(),
  });

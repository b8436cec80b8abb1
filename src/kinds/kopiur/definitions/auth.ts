import { z } from "zod";
import * as v from "../../../kube/schema/vocabulary.ts";
import type { Scope } from "./scope.ts";
import { secretRef } from "./secret_ref.ts";

/** How a mover proves itself to the storage. `keys` says what the Secret holds. */
export const auth = (scope: Scope, keys: string) =>
  v
    .oneOf({
      secretRef: secretRef(scope).describe(`A Secret with ${keys}.`),
      workloadIdentity: z
        .object({ serviceAccountName: v.objectName().describe("ServiceAccount whose identity to use.") })
        .describe(
          "The cloud identity of a ServiceAccount. Not supported yet: Holdfast refuses it with a reason.",
        ),
    })
    .describe("How to access the storage: exactly one way.");

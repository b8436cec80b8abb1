import { z } from "zod";
import * as v from "../../../kube/schema/vocabulary.ts";
import type { Scope } from "./scope.ts";
import { dataKey, namespaceName } from "./words.ts";

/** Where a Secret or ConfigMap is: beside the object, or for a cluster-wide one in a namespace that it names. */
const place = (scope: Scope) =>
  scope === "Cluster" ? { namespace: namespaceName().describe("Its namespace.") } : {};

/** A Secret whose keys have fixed names. */
export const secretRef = (scope: Scope) =>
  z.object({ name: v.objectName().describe("Name of the Secret."), ...place(scope) });

/** One key of a Secret. */
export const secretKeyRef = (scope: Scope, defaultKey?: string) => {
  const key = dataKey();
  return z.object({
    name: v.objectName().describe("Name of the Secret."),
    ...place(scope),
    key: (defaultKey === undefined ? key : key.default(defaultKey)).describe("Key in the Secret."),
  });
};

/** How to check a server's certificate. */
export const tls = (scope: Scope) =>
  z
    .object({
      caBundleRef: z
        .object({
          configMapName: v.objectName().describe("Name of the ConfigMap."),
          ...place(scope),
          key: dataKey().default("ca.crt").describe("Key in the ConfigMap."),
        })
        .describe("Certificate authorities to trust instead of the system's, as PEM in a ConfigMap.")
        .optional(),
      insecureSkipVerify: z
        .boolean()
        .default(false)
        .describe(
          "Accept any certificate. An attacker between mover and server can then read the credentials.",
        ),
    })
    .describe("How to check the server's certificate.");

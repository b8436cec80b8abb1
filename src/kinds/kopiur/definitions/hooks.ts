import { z } from "zod";
import * as v from "../../../kube/schema/vocabulary.ts";
import { secretKeyRef, tls } from "./secret_ref.ts";
import { labelSelector } from "./selectors.ts";
import { text, texts } from "./words.ts";

const shared = (timeout: string) => ({
  timeout: v.duration().default(timeout).describe("How long the hook may take."),
  continueOnFailure: z.boolean().default(false).describe("Continue the backup when the hook fails."),
});

const workloadExec = z
  .object({
    podSelector: labelSelector().describe("Labels of the pods."),
    pods: z.enum(["Any", "All"]).default("Any").describe("Run in one of the ready pods, or in all of them."),
    container: text(63).describe("Name of the container. Default: the pod's first.").optional(),
    command: texts({ maxItems: 64, maxLength: 4096 })
      .min(1)
      .describe("The command. It runs without a shell."),
    repeatable: z
      .boolean()
      .default(false)
      .describe(
        "It is safe to run the command twice: if the operator stops meanwhile, it runs the command again. Otherwise the hook has failed.",
      ),
    ...shared("2m"),
  })
  .describe("A command in a running pod of the workload.");

const runJob = z
  .object({
    jobSpec: v.opaque().describe("The spec of a Job. It runs in this namespace."),
    ...shared("10m"),
  })
  .describe("A Job. It runs once, unless its backoffLimit says otherwise.");

const header = v.rule(
  z.object({
    name: z
      .string()
      .min(1)
      .max(128)
      .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/)
      .describe("Name of the header."),
    value: text(4096).describe("Its value.").optional(),
    valueFrom: z
      .object({ secretKeyRef: secretKeyRef("Namespaced").describe("A key of a Secret in this namespace.") })
      .describe("A reference to its value. Only the pod that sends the request sees the value.")
      .optional(),
  }),
  { rule: "has(self.value) != has(self.valueFrom)", message: "exactly one of value, valueFrom must be set" },
);

const httpRequest = z
  .object({
    url: z
      .string()
      .max(2048)
      .regex(/^https?:\/\/[^\s]+$/)
      .describe(
        "The URL. Holdfast refuses loopback and link-local addresses, unless the operator allows them.",
      ),
    method: z.enum(["GET", "POST", "PUT", "PATCH", "DELETE"]).default("POST").describe("The method."),
    headers: v.listMap(header, ["name"], 16).describe("Headers, by name.").optional(),
    body: text(8192).describe("The body.").optional(),
    tls: tls("Namespaced").optional(),
    ...shared("30s"),
  })
  .describe("A request to a URL. Any answer but 2xx is a failure, also a redirect.");

const hook = () => v.oneOf({ workloadExec, runJob, httpRequest });

/** Hooks around a snapshot. */
export const hooks = () =>
  z.object({
    beforeSnapshot: z
      .array(hook())
      .max(8)
      .describe("Hooks that run one after the other before the capture of the volumes.")
      .optional(),
    afterSnapshot: z
      .array(hook())
      .max(8)
      .describe(
        "Hooks that run one after the other after the capture of the volumes, also if the backup failed.",
      )
      .optional(),
    timeout: v
      .duration()
      .describe(
        "How long the workload may wait for the capture after the hooks in beforeSnapshot. Default: 5m. After that the hooks in afterSnapshot run, and the attempt has failed.",
      )
      .optional(),
  });

import type { JobSpec } from "kubernetes-types/batch/v1.d.ts";
import type { EnvVar } from "kubernetes-types/core/v1.d.ts";
import { HOOK_REQUEST, type HookHeader, type HookRequest } from "../../../wire/hook_request.ts";
import { moverPodSecurity, moverSecurity } from "../../work/mover_security.ts";
import type { MoverSettings } from "../../work/mover_settings.ts";

/** A request to a URL, as a recipe describes it. */
export interface RequestAction extends Omit<HookRequest, "version" | "headers" | "caFrom"> {
  readonly headers?: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } };
  }[];
  /** The authorities to trust. Default: the system's. */
  readonly ca?: { readonly configMap: string; readonly key: string };
}

const CA = "HOLDFAST_HOOK_CA";

/** The Job that sends a request. Secrets go from the API server into its pod: nobody else reads them. */
export function requestJob(
  { headers = [], ca, ...action }: RequestAction,
  mover: Pick<MoverSettings, "image" | "imagePullPolicy">,
): JobSpec {
  const secrets: EnvVar[] = [];
  const sent = headers.map(({ name, value, valueFrom }, index): HookHeader => {
    if (!valueFrom) return { name, value: value ?? "" };
    const variable = `HOLDFAST_HOOK_HEADER_${index}`;
    secrets.push({ name: variable, valueFrom: { secretKeyRef: { ...valueFrom.secretKeyRef } } });
    return { name, valueFrom: variable };
  });
  const request: HookRequest = { version: 1, ...action, headers: sent, ...(ca ? { caFrom: CA } : {}) };
  return {
    backoffLimit: 0,
    template: {
      spec: {
        restartPolicy: "Never",
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: moverPodSecurity({}),
        containers: [
          {
            name: "request",
            image: mover.image,
            imagePullPolicy: mover.imagePullPolicy ?? "IfNotPresent",
            env: [
              // A dollar sign would begin the name of another variable.
              { name: HOOK_REQUEST, value: JSON.stringify(request).replaceAll("$", "$$$$") },
              ...secrets,
              ...(ca
                ? [{ name: CA, valueFrom: { configMapKeyRef: { name: ca.configMap, key: ca.key } } }]
                : []),
            ],
            resources: { requests: { cpu: "10m", memory: "64Mi" } },
            securityContext: moverSecurity({}),
          },
        ],
      },
    },
  };
}

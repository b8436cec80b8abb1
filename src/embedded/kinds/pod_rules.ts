import { forbidden, type Problem } from "../../kube/schema/problem.ts";
import { jsonEqual } from "../../lib/json.ts";
import type { Stored } from "../store/store.ts";
import { change, each, type Fields, fieldsOf, listOf, textOf } from "./fields.ts";
import type { KindRules } from "./kind_info.ts";
import { checkPodSpec } from "./pod_checks.ts";

/** Pods, without a token to mount. Of their spec only the node and the images may change. */
export const podRules: KindRules = {
  defaults: (pod) => ({
    ...pod,
    spec: podSpecDefaults({
      enableServiceLinks: true,
      priority: 0,
      preemptionPolicy: "PreemptLowerPriority",
      serviceAccountName: "default",
      ...fieldsOf(pod.spec),
    }),
    status: { phase: "Pending", ...fieldsOf(pod.status) },
  }),
  check: (pod, old) => [
    ...checkPodSpec(fieldsOf(pod.spec), "spec"),
    ...(old ? checkUpdate(fieldsOf(pod.spec), fieldsOf(old.spec)) : []),
  ],
  selectableFields: {
    "spec.nodeName": field("spec", "nodeName"),
    "spec.restartPolicy": field("spec", "restartPolicy"),
    "spec.schedulerName": field("spec", "schedulerName"),
    "spec.serviceAccountName": field("spec", "serviceAccountName"),
    "status.phase": field("status", "phase"),
    "status.podIP": field("status", "podIP"),
  },
};

/** What the API server fills into a pod, or the pod of a template. */
export function podSpecDefaults(spec: Fields): Fields {
  return change(
    {
      restartPolicy: "Always",
      terminationGracePeriodSeconds: 30,
      dnsPolicy: "ClusterFirst",
      securityContext: {},
      schedulerName: "default-scheduler",
      ...spec,
      // The old name of a field goes with the new one.
      ...(spec.serviceAccountName ? { serviceAccount: spec.serviceAccountName } : {}),
    },
    { containers: each(container), initContainers: each(container), volumes: each(volume) },
  );
}

const withVersion = fill({ apiVersion: "v1" });

function container(given: Fields): Fields {
  return change(
    {
      resources: {},
      terminationMessagePath: "/dev/termination-log",
      terminationMessagePolicy: "File",
      imagePullPolicy: pullPolicy(textOf(given.image)),
      ...given,
    },
    {
      env: each((env) =>
        change(env, { valueFrom: (from) => change(fieldsOf(from), { fieldRef: withVersion }) }),
      ),
    },
  );
}

/** `latest`, said or left out, is fetched every time. */
function pullPolicy(image: string): string {
  const name = image.slice(image.lastIndexOf("/") + 1);
  if (name.includes("@")) return "IfNotPresent";
  const [, tag = "latest"] = name.split(":");
  return tag === "latest" ? "Always" : "IfNotPresent";
}

const withMode = fill({ defaultMode: 0o644 });
const items = each((item) => change(item, { fieldRef: withVersion }));

function volume(given: Fields): Fields {
  const { name, ...source } = given;
  return change(Object.keys(source).length > 0 ? given : { name, emptyDir: {} }, {
    configMap: withMode,
    secret: withMode,
    downwardAPI: (value) => change(withMode(value), { items }),
    projected: withMode,
    hostPath: fill({ type: "" }),
    ephemeral: (value) =>
      change(fieldsOf(value), {
        volumeClaimTemplate: (template) =>
          change(fieldsOf(template), { spec: fill({ volumeMode: "Filesystem" }) }),
      }),
  });
}

function fill(defaults: Fields): (value: unknown) => Fields {
  return (value) => ({ ...defaults, ...fieldsOf(value) });
}

function field(part: "spec" | "status", name: string): (object: Stored) => string {
  return (object) => textOf(fieldsOf(object[part])[name]);
}

const CHANGEABLE = [
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
].join(",");

/** A scheduler may set the node, once: there is no binding to do it with. */
function checkUpdate(spec: Fields, old: Fields): readonly Problem[] {
  for (const name of ["containers", "initContainers"]) {
    if (listOf(spec[name]).length !== listOf(old[name]).length)
      return [forbidden(`spec.${name}`, "pod updates may not add or remove containers")];
  }
  if (jsonEqual(fixed(spec), fixed({ ...old, nodeName: old.nodeName ?? spec.nodeName }))) return [];
  return [forbidden("spec", `pod updates may not change fields other than ${CHANGEABLE}`)];
}

/** The parts of a pod that stay as they are. */
function fixed(spec: Fields): Fields {
  const { activeDeadlineSeconds: _, tolerations: __, ...rest } = spec;
  const imageless = each(({ image: _image, ...container }) => container);
  return change(rest, { containers: imageless, initContainers: imageless });
}

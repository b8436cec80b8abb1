import { forbidden, invalid, type Problem } from "../../kube/schema/problem.ts";
import { jsonEqual } from "../../lib/json.ts";
import type { Stored } from "../store/store.ts";
import { change, each, type Fields, fieldsOf, listOf, textOf } from "./fields.ts";
import type { KindRules } from "./kind_rules.ts";
import { checkPodSpec } from "./pod_checks.ts";
import { podSpecDefaults } from "./pod_defaults.ts";

/** Pods: as the API server and the admission plugins of every cluster complete them, without a token to mount. */
export const podRules: KindRules = {
  defaults: (pod) => {
    const spec = podSpecDefaults({
      enableServiceLinks: true,
      priority: 0,
      preemptionPolicy: "PreemptLowerPriority",
      serviceAccountName: "default",
      ...fieldsOf(pod.spec),
      tolerations: withPatience(listOf(fieldsOf(pod.spec).tolerations)),
    });
    const complete = change(spec, { containers: each(withRequests), initContainers: each(withRequests) });
    const status = { phase: "Pending", qosClass: qosClass(complete), ...fieldsOf(pod.status) };
    return { ...pod, spec: complete, status };
  },
  check: (pod, old) => {
    const spec = fieldsOf(pod.spec);
    return [...checkPodSpec(spec, "spec"), ...(old ? checkUpdate(spec, fieldsOf(old.spec)) : [])];
  },
  selectableFields: {
    "spec.nodeName": field("spec", "nodeName"),
    "spec.restartPolicy": field("spec", "restartPolicy"),
    "spec.schedulerName": field("spec", "schedulerName"),
    "spec.serviceAccountName": field("spec", "serviceAccountName"),
    "spec.hostNetwork": (pod) => String(fieldsOf(pod.spec).hostNetwork ?? false),
    "status.phase": field("status", "phase"),
    "status.podIP": field("status", "podIP"),
    "status.nominatedNodeName": field("status", "nominatedNodeName"),
  },
};

function field(part: "spec" | "status", name: string): (object: Stored) => string {
  return (object) => textOf(fieldsOf(object[part])[name]);
}

/** A pod stays for five minutes on a node that is lost, unless it says otherwise. */
function withPatience(tolerations: readonly Fields[]): readonly Fields[] {
  const missing = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"].filter(
    (taint) =>
      !tolerations.some(({ key, effect }) => (!key || key === taint) && (!effect || effect === "NoExecute")),
  );
  const patient = { operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 };
  return [...tolerations, ...missing.map((key) => ({ key, ...patient }))];
}

/** What a container may have at most, it asks for unless it says otherwise. */
function withRequests(container: Fields): Fields {
  return change(container, {
    resources: (value) => {
      const { limits, requests, ...rest } = fieldsOf(value);
      const wanted = { ...fieldsOf(limits), ...fieldsOf(requests) };
      return {
        ...(limits === undefined ? {} : { limits }),
        ...(Object.keys(wanted).length > 0 ? { requests: wanted } : {}),
        ...rest,
      };
    },
  });
}

function qosClass(spec: Fields): string {
  const containers = [...listOf(spec.containers), ...listOf(spec.initContainers)];
  const resources = containers.map((container) => {
    const { limits, requests } = fieldsOf(container.resources);
    return { limits: fieldsOf(limits), requests: fieldsOf(requests) };
  });
  const of = (amounts: Fields) => ["cpu", "memory"].map((name) => amounts[name]);
  if (
    resources.every(({ limits, requests }) => [...of(limits), ...of(requests)].every((v) => v === undefined))
  ) {
    return "BestEffort";
  }
  const full = resources.every(
    ({ limits, requests }) => of(limits).every((v) => v !== undefined) && jsonEqual(of(limits), of(requests)),
  );
  return full ? "Guaranteed" : "Burstable";
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
  const problems: Problem[] = [];
  const [deadline, oldDeadline] = [spec.activeDeadlineSeconds, old.activeDeadlineSeconds];
  if (typeof oldDeadline === "number" && deadline === undefined) {
    const text = "must not update from a positive integer to nil value";
    problems.push(invalid("spec.activeDeadlineSeconds", null, text));
  } else if (Number(deadline) > Number(oldDeadline)) {
    const text = "must be less than or equal to previous value";
    return [invalid("spec.activeDeadlineSeconds", deadline, text)];
  }
  if (!listOf(old.tolerations).every((toleration) => listOf(spec.tolerations).some(sameBut(toleration)))) {
    const text = "existing toleration can not be modified except its tolerationSeconds";
    problems.push(forbidden("spec.tolerations", text));
  }
  const nodeName = old.nodeName ?? spec.nodeName;
  if (!jsonEqual(fixed(spec), fixed({ ...old, nodeName }))) {
    problems.push(forbidden("spec", `pod updates may not change fields other than ${CHANGEABLE}`));
  }
  return problems;
}

function sameBut(toleration: Fields): (other: Fields) => boolean {
  const { tolerationSeconds: _, ...wanted } = toleration;
  return ({ tolerationSeconds: _seconds, ...other }) => jsonEqual(wanted, other);
}

/** The parts of a pod that stay as they are. */
function fixed(spec: Fields): Fields {
  const { activeDeadlineSeconds: _, tolerations: __, schedulingGates: ___, ...rest } = spec;
  const imageless = each(({ image: _image, ...container }) => container);
  return change(rest, { containers: imageless, initContainers: imageless });
}

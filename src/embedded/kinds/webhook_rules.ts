import { duplicate, invalid, notSupported, type Problem, required } from "../../kube/schema/problem.ts";
import { change, each, type Fields, fieldsOf, listOf, textOf } from "./fields.ts";
import type { KindRules } from "./kind_rules.ts";

/** Both kinds of webhook configuration; only mutating ones may be called again. */
export function webhookRules(kind: "mutating" | "validating"): KindRules {
  const own = kind === "mutating" ? { reinvocationPolicy: "Never" } : {};
  const webhook = (given: Fields) =>
    change(
      {
        failurePolicy: "Fail",
        matchPolicy: "Equivalent",
        namespaceSelector: {},
        objectSelector: {},
        timeoutSeconds: 10,
        ...own,
        ...given,
      },
      {
        rules: each((rule) => ({ scope: "*", ...rule })),
        clientConfig: (config) =>
          change(fieldsOf(config), { service: (service) => ({ port: 443, ...fieldsOf(service) }) }),
      },
    );
  return {
    defaults: (object) => change(object, { webhooks: each(webhook) }),
    check: ({ webhooks }) => {
      const list = listOf(webhooks);
      const names = list.map(({ name }) => name);
      return list.flatMap((hook, i) => [
        ...checkWebhook(hook, `webhooks[${i}]`),
        ...(names.indexOf(hook.name) < i ? [duplicate(`webhooks[${i}].name`, hook.name)] : []),
      ]);
    },
  };
}

const OPERATIONS = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];

function checkWebhook(hook: Fields, path: string): readonly Problem[] {
  const { name, sideEffects, timeoutSeconds, admissionReviewVersions: versions } = hook;
  const { url, service } = fieldsOf(hook.clientConfig);
  const problems: Problem[] = [];
  if (!name) problems.push(required(`${path}.name`));
  else if (textOf(name).split(".").length < 3) {
    problems.push(
      invalid(`${path}.name`, name, "should be a domain with at least three segments separated by dots"),
    );
  }
  problems.push(...listOf(hook.rules).flatMap((rule, i) => checkRule(rule, `${path}.rules[${i}]`)));
  if (sideEffects === undefined) {
    problems.push(required(`${path}.sideEffects`, "must specify one of None, NoneOnDryRun"));
  } else if (sideEffects === "Some" || sideEffects === "Unknown") {
    problems.push(notSupported(`${path}.sideEffects`, sideEffects, ["None", "NoneOnDryRun"]));
  }
  if (Number(timeoutSeconds) < 1 || Number(timeoutSeconds) > 30) {
    const text = "the timeout value must be between 1 and 30 seconds";
    problems.push(invalid(`${path}.timeoutSeconds`, timeoutSeconds, text));
  }
  if ((url === undefined) === (service === undefined)) {
    problems.push(required(`${path}.clientConfig`, "exactly one of url or service is required"));
  } else if (url !== undefined && !textOf(url).startsWith("https://")) {
    problems.push(
      invalid(
        `${path}.clientConfig.url`,
        textOf(url).split(":")[0],
        "'https' is the only allowed URL scheme; desired format: https://host[/path]",
      ),
    );
  }
  if (!Array.isArray(versions) || versions.length === 0) {
    problems.push(required(`${path}.admissionReviewVersions`, "must specify one of v1, v1beta1"));
  } else if (!versions.some((version) => version === "v1" || version === "v1beta1")) {
    problems.push(
      invalid(`${path}.admissionReviewVersions`, versions, "must include at least one of v1, v1beta1"),
    );
  }
  return problems;
}

function checkRule(rule: Fields, path: string): readonly Problem[] {
  const missing = ["operations", "apiGroups", "apiVersions", "resources"].filter(
    (name) => !Array.isArray(rule[name]) || rule[name].length === 0,
  );
  const operations: readonly unknown[] = Array.isArray(rule.operations) ? rule.operations : [];
  return [
    ...missing.map((name) => required(`${path}.${name}`)),
    ...operations.flatMap((operation, i) =>
      OPERATIONS.includes(textOf(operation))
        ? []
        : [notSupported(`${path}.operations[${i}]`, operation, OPERATIONS)],
    ),
  ];
}

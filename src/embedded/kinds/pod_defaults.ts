import { change, each, type Fields, fieldsOf, textOf } from "./fields.ts";

/** What the API server fills into the pod of a template. */
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

/** A pod's template, with defaults. */
export function templateDefaults(template: unknown): Fields {
  return change(fieldsOf(template), { spec: (spec) => podSpecDefaults(fieldsOf(spec)) });
}

const handlers = { httpGet: fill({ path: "/", scheme: "HTTP" }) };
const probe = (value: unknown) =>
  change(
    { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3, ...fieldsOf(value) },
    handlers,
  );
const hook = (value: unknown) => change(fieldsOf(value), handlers);
const fieldRef = fill({ apiVersion: "v1" });

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
        change(env, { valueFrom: (from) => change(fieldsOf(from), { fieldRef, resourceFieldRef: divisor }) }),
      ),
      livenessProbe: probe,
      readinessProbe: probe,
      startupProbe: probe,
      lifecycle: (value) => change(fieldsOf(value), { postStart: hook, preStop: hook }),
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

const divisor = fill({ divisor: "0" });
const withMode = fill({ defaultMode: 0o644 });
const items = each((item) => change(item, { fieldRef, resourceFieldRef: divisor }));
const sources = each((source) =>
  change(source, {
    downwardAPI: (value) => change(fieldsOf(value), { items }),
    serviceAccountToken: fill({ expirationSeconds: 3600 }),
  }),
);

function volume(given: Fields): Fields {
  const { name, ...source } = given;
  return change(Object.keys(source).length > 0 ? given : { name, emptyDir: {} }, {
    configMap: withMode,
    secret: withMode,
    downwardAPI: (value) => change(withMode(value), { items }),
    projected: (value) => change(withMode(value), { sources }),
    hostPath: fill({ type: "" }),
  });
}

function fill(defaults: Fields): (value: unknown) => Fields {
  return (value) => ({ ...defaults, ...fieldsOf(value) });
}

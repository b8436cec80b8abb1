import type { AdmissionCase } from "./admission_case.ts";
import { config, HOUSEHOLD, repository } from "./manifests.ts";

const NO_POD = "no pod can be made from it";
const hook = (spec: object) => ({ hooks: { beforeSnapshot: [{ runJob: { jobSpec: spec } }] } });
const template = (pod: object) => ({
  template: { spec: { containers: [{ name: "main", image: "example/main:1" }], ...pod } },
});

/** What only an API server can tell: a refusal is given by its beginning. */
export const trialCases: readonly AdmissionCase[] = [
  {
    name: "resources and tolerations as a pod has them",
    given: HOUSEHOLD,
    object: config({
      spec: {
        mover: {
          resources: { requests: { cpu: "250m", memory: "512Mi" }, limits: { memory: "4Gi" } },
          tolerations: [{ key: "dedicated", operator: "Exists", effect: "NoSchedule" }],
        },
      },
    }),
  },
  {
    name: "a quantity that is none",
    given: HOUSEHOLD,
    object: config({ spec: { mover: { resources: { limits: { memory: "plenty" } } } } }),
    refused: `spec.mover: ${NO_POD}: `,
  },
  {
    name: "a security context with an unknown field",
    given: HOUSEHOLD,
    object: config({ spec: { mover: { securityContext: { runAsUsers: 1000 } } } }),
    refused: `spec.mover: ${NO_POD}: `,
  },
  {
    name: "defaults for movers that no pod could have",
    object: repository({ spec: { moverDefaults: { tolerations: [{ key: "a", operator: "Sometimes" }] } } }),
    refused: `spec.moverDefaults.tolerations[0].operator: ${NO_POD}: `,
  },
  {
    name: "a Job for a hook",
    given: HOUSEHOLD,
    object: config({ spec: hook(template({ restartPolicy: "Never" })) }),
  },
  {
    name: "a Job for a hook that would start over for ever",
    given: HOUSEHOLD,
    object: config({ spec: hook(template({ restartPolicy: "Always" })) }),
    refused: `spec.hooks.beforeSnapshot[0].runJob.jobSpec.template.spec.restartPolicy: ${NO_POD}: `,
  },
];

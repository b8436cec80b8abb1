import type { AlertCase } from "./alert_case.ts";

const STUCK = {
  labels: { namespace: "backups", pod: "holdfast-a", instance: "10.0.0.1:8080" },
  summary: "Operator holdfast-a is stuck",
};

/** Of the operator itself. */
export const OPERATOR_ALERT_CASES: readonly AlertCase[] = [
  {
    alert: "HoldfastOperatorDown",
    story: "no replica leads, and then one does",
    stretches: [
      { minutes: 30, world: { isLeader: false } },
      { minutes: 30, world: { isLeader: true } },
    ],
    notYet: 2,
    fires: 20,
    labels: { namespace: "backups", job: "holdfast-metrics" },
    summary: "No operator leads",
    ended: 40,
  },
  {
    alert: "HoldfastOperatorDown",
    story: "the operator is gone, and comes back",
    stretches: [
      { minutes: 10, world: {} },
      { minutes: 30, world: undefined },
      { minutes: 30, world: {} },
    ],
    notYet: 12,
    fires: 30,
    labels: { namespace: "backups" },
    summary: "No operator leads",
    ended: 50,
  },
  {
    alert: "HoldfastApiNotServed",
    story: "another controller writes a status, and is removed",
    stretches: [
      { minutes: 10, world: {} },
      { minutes: 30, world: { closed: true } },
      { minutes: 30, world: {} },
    ],
    notYet: 12,
    fires: 30,
    labels: { namespace: "backups", job: "holdfast-metrics", api: "kopiur" },
    summary: "The API kopiur is not served",
    ended: 50,
  },
  {
    alert: "HoldfastOperatorUnhealthy",
    story: "the API server is not heard for a while",
    stretches: [
      { minutes: 30, world: { stalenessMs: 600_000 } },
      { minutes: 30, world: {} },
    ],
    notYet: 10,
    fires: 20,
    ...STUCK,
    ended: 40,
  },
  {
    alert: "HoldfastOperatorUnhealthy",
    story: "one reconcile does not end, until the replica is killed for it",
    stretches: [
      { minutes: 5, world: {} },
      { minutes: 6, world: { longestMs: 400_000 } },
      { minutes: 60, world: {} },
    ],
    notYet: 15,
    fires: 25,
    ...STUCK,
    ended: 40,
  },
  {
    alert: "HoldfastOperatorUnhealthy",
    story: "a look into a repository does not end, until the replica is killed for it",
    stretches: [
      { minutes: 5, world: {} },
      // As long as it may take.
      { minutes: 25, world: { queue: "kopiur-catalog", longestMs: 1_800_000 } },
      { minutes: 6, world: { queue: "kopiur-catalog", longestMs: 2_160_000 } },
      { minutes: 90, world: {} },
    ],
    notYet: 35,
    fires: 55,
    ...STUCK,
    ended: 100,
  },
];

import type { Case } from "./case.ts";

const podSelector = { matchLabels: { app: "postgres" } };
const before = (...beforeSnapshot: readonly object[]) => ({
  repository: { name: "nas-primary" },
  sources: [{ pvc: { name: "postgres-data" } }],
  hooks: { beforeSnapshot },
});

/** Hooks of a BackupConfig. */
export const hookCases: readonly Case[] = [
  {
    name: "every kind of hook",
    spec: before(
      { workloadExec: { podSelector, command: ["sync"] } },
      { runJob: { jobSpec: { template: { spec: { containers: [] } } } } },
      { httpRequest: { url: "https://hooks.example.com/", headers: [{ name: "X-It", value: "1" }] } },
    ),
    stored: {
      hooks: {
        beforeSnapshot: [
          {
            workloadExec: {
              podSelector,
              command: ["sync"],
              pods: "Any",
              repeatable: false,
              timeout: "2m",
              continueOnFailure: false,
            },
          },
          {
            runJob: {
              jobSpec: { template: { spec: { containers: [] } } },
              timeout: "10m",
              continueOnFailure: false,
            },
          },
          {
            httpRequest: {
              url: "https://hooks.example.com/",
              headers: [{ name: "X-It", value: "1" }],
              method: "POST",
              timeout: "30s",
              continueOnFailure: false,
            },
          },
        ],
      },
    },
  },
  {
    name: "a hook that does nothing",
    spec: before({}),
    problems: ["spec.hooks.beforeSnapshot[0]: Invalid value: exactly one of workloadExec, runJob"],
  },
  {
    name: "a hook that does two things",
    spec: before({ runJob: { jobSpec: {} }, httpRequest: { url: "http://a" } }),
    problems: ["spec.hooks.beforeSnapshot[0]: Invalid value: exactly one of"],
  },
  {
    name: "a command without a word",
    spec: before({ workloadExec: { podSelector, command: [] } }),
    problems: ["spec.hooks.beforeSnapshot[0].workloadExec.command: Invalid value: 0"],
  },
  {
    name: "a request to something else than a web server",
    spec: before({ httpRequest: { url: "file:///etc/passwd" } }),
    problems: ["spec.hooks.beforeSnapshot[0].httpRequest.url: Invalid value"],
  },
  {
    name: "a header with two values",
    spec: before({
      httpRequest: {
        url: "http://a",
        headers: [{ name: "X-It", value: "1", valueFrom: { secretKeyRef: { name: "token", key: "token" } } }],
      },
    }),
    problems: ["spec.hooks.beforeSnapshot[0].httpRequest.headers[0]: Invalid value: exactly one"],
  },
];

import { expect, test } from "vitest";
import { HOOK_REQUEST, type HookRequest } from "../../../wire/hook_request.ts";
import { requestJob } from "./request_job.ts";

const action = {
  url: "https://hooks.example.com/",
  method: "POST",
  timeout: 30_000,
  allowLocal: false,
  insecure: false,
};

const containerOf = (job: ReturnType<typeof requestJob>) => job.template.spec?.containers[0];

test("a request's Job gets secrets from the API server, by name alone", () => {
  const secretKeyRef = { name: "token", key: "word" };
  const headers = [
    { name: "x-plain", value: "$(HOME) costs 5$" },
    { name: "x-token", valueFrom: { secretKeyRef } },
  ];
  const job = requestJob(
    { ...action, headers, ca: { configMap: "ca", key: "ca.crt" } },
    { image: "mover:1" },
  );
  const [asked, ...others] = containerOf(job)?.env ?? [];
  expect(asked?.name).toBe(HOOK_REQUEST);
  // Kubernetes takes two dollar signs for one, and one before a bracket for a variable.
  expect(asked?.value).toContain("$$(HOME) costs 5$$");
  const request = JSON.parse(asked?.value?.replaceAll("$$", "$") ?? "") as HookRequest;
  expect(request).toEqual({
    version: 1,
    ...action,
    headers: [headers[0], { name: "x-token", valueFrom: "HOLDFAST_HOOK_HEADER_1" }],
    caFrom: "HOLDFAST_HOOK_CA",
  });
  expect(others).toEqual([
    { name: "HOLDFAST_HOOK_HEADER_1", valueFrom: { secretKeyRef } },
    { name: "HOLDFAST_HOOK_CA", valueFrom: { configMapKeyRef: { name: "ca", key: "ca.crt" } } },
  ]);
});

test("a request's pod may do nothing else", () => {
  const job = requestJob(action, { image: "mover:1", imagePullPolicy: "Never" });
  expect(job.template.spec).toMatchObject({
    automountServiceAccountToken: false,
    securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
  });
  expect(containerOf(job)).toMatchObject({
    imagePullPolicy: "Never",
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    },
  });
});

import { afterAll, beforeAll, expect, test } from "vitest";
import { backupResource } from "../../../src/kinds/kopiur/generated/backup.ts";
import { restoreResource } from "../../../src/kinds/kopiur/generated/restore.ts";
import {
  CustomResourceDefinitions,
  Leases,
  MutatingWebhookConfigurations,
  Namespaces,
  Pods,
  StorageClasses,
} from "../../../src/kube/builtin.ts";
import { createAuthority, issueServerCertificate } from "../../../src/kube/certificates/certificates.ts";
import type { Draft, KubeObject } from "../../../src/kube/object.ts";
import type { Resource } from "../../../src/kube/resource.ts";
import { type Clock, systemClock } from "../../../src/lib/clock.ts";
import { listen } from "../../../src/lib/https_server.ts";
import { systemRandom as random } from "../../../src/lib/random.ts";
import { CliGround, type RunOptions } from "./cli_ground.ts";

/* Each fault is made in a world that works otherwise, and doctor finds it. */

const DAY = 86_400_000;
const HOOK = "complete.restores.kopiur.home-operations.com";
const account = "system:serviceaccount:default:default";
const fits = `ok|${account} can work with the CRDs, whoever installed them`;
let ground: CliGround;

beforeAll(async () => {
  ground = await CliGround.open();
  await created(StorageClasses, {
    metadata: { name: "local", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
    provisioner: "example.com/local",
  });
}, 60_000);

afterAll(() => ground[Symbol.asyncDispose]());

/** What doctor says that is not well, with why and fix; and how it ends. */
async function findings(options: RunOptions = {}) {
  const { code, stdout, stderr } = await ground.run("doctor -o json", options);
  // On a busy machine what it looks at is shown, above all by a quick clock.
  expect(stderr.replaceAll(/^ {2}looking at [\w' ]+ …\n/gm, "")).toBe("");
  const all = JSON.parse(stdout) as { level: string; what: string; why?: string; fix?: string }[];
  for (const one of all.filter(({ level }) => level !== "ok")) {
    expect(one.why, one.what).toBeTruthy();
    expect(one.fix, one.what).toBeTruthy();
  }
  return { code, said: all.map(({ level, what, why }) => [level, what, why ?? ""].join("|")) };
}

const found = (text: string) => expect.arrayContaining([expect.stringContaining(text)]);

async function created(resource: Resource, object: object): Promise<AsyncDisposable> {
  const { metadata } = await ground.client.create(resource, object as Draft<KubeObject>);
  return { [Symbol.asyncDispose]: async () => void (await ground.client.delete(resource, metadata)) };
}

test("in a world without an operator nothing is broken, and it is told what is not there", async () => {
  const { code, said } = await findings();
  expect(code).toBe(0);
  expect(said).toEqual(found("ok|all 7 kinds of kopiur are served"));
  expect(said).toEqual(found("ok|the control plane for one machine runs the operator itself"));
  expect(said).toEqual(found("warning|there are no webhooks"));
});

test.each([
  ["v1.28.3", "error|Kubernetes v1.28.3 is too old"],
  ["v1.41.0", "warning|Holdfast is not tested with Kubernetes v1.41.0"],
])("an API server of %s", async (gitVersion, text) => {
  const sender = ground.answering(({ path }) =>
    path === "/version" ? { status: 200, value: { gitVersion } } : undefined,
  );
  expect((await findings({ sender })).said).toEqual(found(text));
});

test("rights that are missing, and what may not even be looked at", async () => {
  const sender = ground.answering(({ path, body }) => {
    if (path.includes("selfsubjectaccessreviews") && String(body).includes('"resource":"secrets"'))
      return { status: 201, value: { status: { allowed: false } } };
    if (path.includes("customresourcedefinitions"))
      return { status: 403, value: { kind: "Status", code: 403, reason: "Forbidden", message: "not you" } };
    return undefined;
  });
  const { code, said } = await findings({ sender });
  expect(code).toBe(0);
  expect(said).toEqual(found("warning|you may not create secrets|ls, cat, download"));
  expect(said).toEqual(found("warning|the CRDs could not be looked at"));
});

test("what is in no namespace is asked about without one", async () => {
  const asked = new Map<string, string | undefined>();
  const sender = ground.answering(({ path, body }) => {
    if (!path.includes("selfsubjectaccessreviews")) return undefined;
    const { resource, namespace } = JSON.parse(String(body)).spec.resourceAttributes;
    asked.set(resource, namespace);
    return undefined;
  });
  await findings({ sender });
  expect([asked.get("clusterrepositories"), asked.get("backups")]).toEqual([undefined, "default"]);
});

test("a look that fails otherwise keeps no other from being taken", async () => {
  const sender = ground.answering(({ path }) =>
    path.includes("/storageclasses")
      ? {
          status: 405,
          value: { kind: "Status", code: 405, reason: "MethodNotAllowed", message: "no lists here" },
        }
      : undefined,
  );
  const { code, said } = await findings({ sender });
  expect(code).toBe(0);
  expect(said).toEqual(found("warning|the storage could not be looked at"));
  expect(said.join()).toContain("no lists here");
  expect(said).toEqual(found("ok|all 7 kinds of kopiur are served"));
});

test("rights that the operator lacks", async () => {
  const labels = { "app.kubernetes.io/name": "holdfast", "app.kubernetes.io/component": "operator" };
  const env = [{ name: "HOLDFAST_WEBHOOK_SERVICE", value: "holdfast-webhook" }];
  await using _ = await created(Pods, {
    metadata: { namespace: "default", name: "operator-1", labels },
    spec: { containers: [{ name: "operator", image: "holdfast", env }] },
  });
  const asked: string[] = [];
  const reviewing = (denied: string) =>
    ground.answering(({ path, body }) => {
      if (!path.includes("/subjectaccessreviews")) return undefined;
      const { spec } = JSON.parse(String(body)) as {
        spec: { user: string; resourceAttributes: { verb: string; resource: string } };
      };
      const { verb, resource } = spec.resourceAttributes;
      asked.push(`${spec.user} ${verb} ${resource}`);
      return { status: 201, value: { status: { allowed: `${verb} ${resource}` !== denied } } };
    });
  expect((await findings({ sender: reviewing("none") })).said).toEqual(found(`ok|${account} has all `));
  expect(asked).toEqual(found(`${account} create jobs`));
  expect(asked).toEqual(found(`${account} update mutatingwebhookconfigurations`));
  const { code, said } = await findings({ sender: reviewing("create jobs") });
  expect([code, said]).toEqual([
    1,
    found(`error|the operator may not create jobs.batch|The API server denies it to`),
  ]);
});

test("an operator whose environment is not all its pod's own, and not all understood", async () => {
  const labels = { "app.kubernetes.io/name": "holdfast", "app.kubernetes.io/component": "operator" };
  const proxy = { name: "proxy", image: "proxy", env: [{ name: "HOLDFAST_LOG_LEVEL", value: "chatty" }] };
  const running = (env: readonly object[]) =>
    created(Pods, {
      metadata: { namespace: "default", name: "operator-1", labels },
      spec: { containers: [proxy, { name: "operator", image: "holdfast", env }] },
    });
  {
    const secretKeyRef = { name: "s", key: "k" };
    const fieldRef = { fieldPath: "status.podIP" };
    await using _ = await running([
      { name: "HOLDFAST_MAX_RUNS", valueFrom: { secretKeyRef } },
      { name: "HOLDFAST_HEALTH_PORT", valueFrom: { fieldRef } },
    ]);
    expect((await findings()).said).toEqual(found("has all "));
  }
  await using _ = await running([{ name: "HOLDFAST_LOG_LEVEL", value: "chatty" }]);
  const { code, said } = await findings();
  expect([code, said]).toEqual([0, found("warning|what the operator of system:serviceaccount:default:")]);
  expect(said).toEqual(found("HOLDFAST_LOG_LEVEL"));
  expect(said).toEqual(found("runs the operator itself"));
});

/** An operator that was told to adopt CRDs. */
function adopting(more: readonly object[] = []): Promise<AsyncDisposable> {
  const labels = { "app.kubernetes.io/name": "holdfast", "app.kubernetes.io/component": "operator" };
  const env = [{ name: "HOLDFAST_ADOPT_CRDS", value: "on" }, ...more];
  return created(Pods, {
    metadata: { namespace: "default", name: "operator-1", labels },
    spec: { containers: [{ name: "operator", image: "holdfast", env }] },
  });
}

test("CRDs that the operator was to adopt, and that lack something, or whose objects another controller writes", async () => {
  expect((await findings()).said).not.toEqual(found(fits));
  const name = { namespace: "default", name: "theirs" };
  {
    await using _ = await adopting();
    expect((await findings()).said).toEqual(found(fits));
    await created(backupResource, { metadata: name, spec: {} });
    const patch = { type: "merge", patch: { status: { phase: "Running" } } } as const;
    const writer = { subresource: "status", fieldManager: "other-controller" };
    await ground.client.patch(backupResource, name, patch, writer);
    const { code, said } = await findings();
    const text = `error|${account} does not work with the CRDs that it was to adopt|other-controller wrote the status of backups.kopiur.home-operations.com default/theirs at `;
    expect([code, said]).toEqual([1, found(text)]);
  }
  await using _ = await adopting([
    { name: "HOLDFAST_PREVIOUS_CONTROLLER_STOPPED_AT", value: "2999-01-01T00:00:00Z" },
  ]);
  expect((await findings()).said).toEqual(found(fits));
  await ground.client.delete(backupResource, name);
  const crds = CustomResourceDefinitions as Resource<Written>;
  const restores = { name: "restores.kopiur.home-operations.com" };
  const before = await ground.client.get(crds, restores);
  const older = JSON.parse(JSON.stringify(before).replace('"logTail":', '"logHead":')) as Written;
  const { metadata } = await ground.client.update(crds, older);
  const { said } = await findings();
  await ground.client.update(crds, { ...before, metadata });
  expect(said).toEqual(found(`|${restores.name} does not fit: status.logTail is missing`));
});

interface Written extends KubeObject {
  readonly spec: {
    readonly versions: { readonly schema: { readonly openAPIV3Schema: { readonly properties: object } } }[];
  };
}

test("CRDs of another product that the operator adopts, and whose status keeps whatever is written", async () => {
  await using _ = await adopting();
  const crds = CustomResourceDefinitions as Resource<Written>;
  const before = await ground.client.get(crds, { name: "restores.kopiur.home-operations.com" });
  const status = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const versions = before.spec.versions.map((version) => {
    const { openAPIV3Schema } = version.schema;
    const properties = { ...openAPIV3Schema.properties, status };
    return { ...version, schema: { openAPIV3Schema: { ...openAPIV3Schema, properties } } };
  });
  const labels = { "app.kubernetes.io/part-of": "somebody" };
  const { metadata } = await ground.client.update(crds, {
    ...before,
    metadata: { ...before.metadata, labels },
    spec: { ...before.spec, versions },
  });
  const { code, said } = await findings();
  const { resourceVersion } = metadata;
  await ground.client.update(crds, { ...before, metadata: { ...before.metadata, resourceVersion } });
  expect([code, said]).toEqual([0, found(fits)]);
  expect(said.filter((one) => one.startsWith("error|") || one.includes("CRD"))).toHaveLength(1);
});

test("a CRD of another version, of another product, and one that is missing", async () => {
  const crds = CustomResourceDefinitions as Resource<Written>;
  const name = { name: "restores.kopiur.home-operations.com" };
  const before = await ground.client.get(crds, name);
  const older = JSON.parse(JSON.stringify(before).replace('"logTail":', '"logHead":')) as Written;
  const labels = { "app.kubernetes.io/part-of": "somebody" };
  await ground.client.update(crds, { ...older, metadata: { ...older.metadata, labels } });
  const changed = await findings();
  await ground.client.delete(crds, name);
  const gone = await findings();
  const { metadata, spec } = before;
  await ground.client.create(crds, { metadata: { name: name.name, labels: metadata.labels ?? {} }, spec });
  expect(changed.code).toBe(1);
  expect(changed.said).toEqual(
    found(`error|${name.name} is of another version|${name.name} does not fit: status.logTail is missing`),
  );
  expect(changed.said).toEqual(found("warning|1 CRDs belong to another product"));
  expect(changed.said).toEqual(found("part of somebody"));
  expect(gone.said).toEqual(found(`error|1 CRD is missing|${name.name}`));
});

/** A webhook server with a certificate, and a configuration that trusts an authority. */
async function webhook({
  days,
  trusts = "its own",
  guards,
}: {
  days: number;
  trusts?: "its own" | "another" | "nobody";
  /** The only namespace that it is for. Default: all. */
  guards?: string;
}) {
  const now = systemClock.now();
  const made = () =>
    createAuthority({ name: "test", validity: { notBefore: now - DAY, notAfter: now + 365 * DAY }, random });
  const authority = made();
  const validity = { notBefore: now - 90 * DAY, notAfter: now + days * DAY };
  const names = { dns: [], ip: ["127.0.0.1"] };
  const identity = issueServerCertificate({ authority, names, validity, random });
  const server = await listen({
    host: "127.0.0.1",
    port: 0,
    tls: () => identity,
    handler: ({ body }) => {
      const { request } = JSON.parse(Buffer.from(body).toString()) as { request: { uid: string } };
      const response = { uid: request.uid, allowed: true };
      const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response };
      return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify(review) };
    },
  });
  const { cert } = trusts === "another" ? made() : authority;
  const caBundle = trusts === "nobody" ? {} : { caBundle: Buffer.from(cert).toString("base64") };
  const configuration = await created(MutatingWebhookConfigurations, {
    metadata: { name: "holdfast-kopiur" },
    webhooks: [
      {
        name: HOOK,
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        failurePolicy: "Fail",
        timeoutSeconds: 5,
        clientConfig: { url: `https://127.0.0.1:${server.port}/hook`, ...caBundle },
        ...(guards ? { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": guards } } } : {}),
        rules: [
          {
            apiGroups: [restoreResource.group],
            apiVersions: [restoreResource.version],
            resources: [restoreResource.plural],
            operations: ["CREATE"],
          },
        ],
      },
    ],
  });
  return {
    server,
    [Symbol.asyncDispose]: async () => {
      await configuration[Symbol.asyncDispose]();
      await server.close(AbortSignal.abort());
    },
  };
}

test("webhooks that answer", async () => {
  await using _ = await webhook({ days: 30 });
  expect((await findings()).said).toEqual(found("ok|the mutating webhooks holdfast-kopiur are in place"));
});

test.each<[what: string, how: Parameters<typeof webhook>[0], text: string]>([
  ["have expired", { days: -1 }, `error|the webhook ${HOOK} is served with a certificate that does not hold`],
  [
    "are of another authority",
    { days: 30, trusts: "another" },
    `error|the webhook ${HOOK} is served with a certificate of another authority`,
  ],
  [
    "nobody is told to trust",
    { days: 30, trusts: "nobody" },
    "error|the mutating webhooks holdfast-kopiur are not",
  ],
])("webhooks whose certificates %s", async (_, how, text) => {
  await using __ = await webhook(how);
  const { code, said } = await findings();
  expect([code, said]).toEqual([1, found(text)]);
});

test("webhooks of one namespace whose certificates have expired", async () => {
  await using _ = await created(Namespaces, { metadata: { name: "guarded" } });
  await using __ = await webhook({ days: -1, guards: "guarded" });
  const { code, said } = await findings();
  const text = `error|the webhook ${HOOK} is served with a certificate that does not hold`;
  expect([code, said]).toEqual([1, found(text)]);
});

test("webhooks whose authority is about to expire, or has", async () => {
  await using _ = await webhook({ days: 30 });
  const ahead = (days: number): Clock => ({ ...systemClock, now: () => systemClock.now() + days * DAY });
  expect((await findings({ clock: ahead(359.5) })).said).toEqual(found("holdfast-kopiur expires in 5d"));
  expect((await findings({ clock: ahead(366) })).said).toEqual(found("error|the authority of the mutating"));
});

test("webhooks that nobody serves any more", async () => {
  await using hook = await webhook({ days: 30 });
  await hook.server.close(AbortSignal.abort());
  const { code, said } = await findings();
  expect([code, said]).toEqual([1, found(`error|the webhook ${HOOK} does not answer`)]);
});

test("a lease that nobody renews", async () => {
  await using _ = await created(Leases, {
    metadata: { namespace: "default", name: "holdfast-operator" },
    spec: { holderIdentity: "pod-1", leaseDurationSeconds: 15 },
  });
  const quick: Clock = {
    now: systemClock.now,
    monotonic: () => systemClock.monotonic() * 50,
    after: (ms, then) => systemClock.after(ms / 50, then),
  };
  const { code, said } = await findings({ clock: quick });
  expect([code, said]).toEqual([
    1,
    found("error|the lease default/holdfast-operator is dead|It belongs to pod-1"),
  ]);
});

test("a clock that is wrong, and an object that nobody looks at", async () => {
  await using _ = await created(backupResource, {
    metadata: { namespace: "default", name: "alone" },
    spec: { configRef: { name: "none" } },
  });
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + 3_600_000 };
  const { code, said } = await findings({ clock });
  expect(code).toBe(1);
  expect(said).toEqual(found("warning|this machine's clock is 1h ahead of the API server's"));
  expect(said).toEqual(found("error|Backup default/alone has no status|Nobody has looked at it"));
});

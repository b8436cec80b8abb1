import { expect } from "vitest";
import { ConfigMaps, ValidatingWebhookConfigurations } from "../../src/kube/builtin.ts";
import { readBody } from "../../src/lib/http.ts";
import { refused, taken } from "./world/expectations.ts";
import { TestWebhook } from "./world/test_webhook.ts";
import type { Theme } from "./world/world.ts";

const allow = () => ({ allowed: true });

const patchOf = (patch: object[]) => ({
  allowed: true,
  patchType: "JSONPatch",
  patch: Buffer.from(JSON.stringify(patch)).toString("base64"),
});

export const webhooks: Theme = {
  name: "webhooks",
  cases: {
    "a refusal is told with the name of the webhook": async (world) => {
      await using hook = await TestWebhook.start(world, () => ({
        allowed: false,
        status: { message: "not today" },
      }));
      await hook.install("validating", hook.entry());
      refused(
        await world.of(ConfigMaps).create({ metadata: { name: "refused", labels: hook.labels } }),
        400,
        undefined,
        'admission webhook "hook.example.com" denied the request: not today',
      );
    },

    "a refusal without words says so": async (world) => {
      await using hook = await TestWebhook.start(world, () => ({ allowed: false }));
      await hook.install("validating", hook.entry());
      refused(
        await world.of(ConfigMaps).create({ metadata: { name: "silent", labels: hook.labels } }),
        400,
        undefined,
        'admission webhook "hook.example.com" denied the request without explanation',
      );
    },

    "a refusal keeps the webhook's code and reason": async (world) => {
      const status = { code: 422, reason: "Invalid", message: "wrong" };
      await using hook = await TestWebhook.start(world, () => ({ allowed: false, status }));
      await hook.install("validating", hook.entry());
      refused(
        await world.of(ConfigMaps).create({ metadata: { name: "code", labels: hook.labels } }),
        422,
        "Invalid",
        'admission webhook "hook.example.com" denied the request: wrong',
      );
    },

    "the review names whom the writer acts as": async (world) => {
      await using hook = await TestWebhook.start(world, allow);
      await hook.install("validating", hook.entry());
      const answer = await world.api.sender.send({
        method: "POST",
        path: `/api/v1/namespaces/${world.namespace}/configmaps`,
        headers: {
          "content-type": "application/json",
          "impersonate-user": "jane",
          "impersonate-group": "system:masters",
        },
        body: JSON.stringify({ metadata: { name: "acting", labels: hook.labels } }),
      });
      await readBody(answer.body);
      expect(answer.status).toBe(201);
      expect(hook.asked[0]).toMatchObject({
        userInfo: { username: "jane", groups: ["system:masters", "system:authenticated"] },
      });
    },

    "the review tells everything about a creation": async (world) => {
      await using hook = await TestWebhook.start(world, allow);
      await hook.install("validating", hook.entry());
      const { of, namespace } = world;
      taken(
        await of(ConfigMaps).create({ metadata: { name: "told", labels: hook.labels }, data: { a: "1" } }),
        201,
      );
      expect(hook.asked).toHaveLength(1);
      const [review] = hook.asked;
      expect(review).toMatchObject({
        uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        kind: { group: "", version: "v1", kind: "ConfigMap" },
        resource: { group: "", version: "v1", resource: "configmaps" },
        requestKind: { group: "", version: "v1", kind: "ConfigMap" },
        requestResource: { group: "", version: "v1", resource: "configmaps" },
        name: "told",
        namespace,
        operation: "CREATE",
        userInfo: { username: expect.any(String), groups: expect.any(Array) },
        oldObject: null,
        dryRun: false,
        options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1" },
      });
      expect(review).not.toHaveProperty("subResource");
      expect(review?.object).toMatchObject({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "told", namespace, uid: expect.any(String), creationTimestamp: expect.any(String) },
        data: { a: "1" },
      });
      expect(review?.object?.metadata).not.toHaveProperty("resourceVersion");
    },

    "an update shows both objects, a deletion the old one": async (world) => {
      await using hook = await TestWebhook.start(world, allow);
      await hook.install("validating", hook.entry());
      const things = world.of(ConfigMaps);
      taken(await things.create({ metadata: { name: "both", labels: hook.labels }, data: { a: "1" } }));
      taken(await things.patch("both", "merge", { data: { a: "2" } }));
      taken(await things.delete("both"));
      expect(
        hook.asked.map(({ operation, object, oldObject }) => [operation, object?.data, oldObject?.data]),
      ).toEqual([
        ["CREATE", { a: "1" }, undefined],
        ["UPDATE", { a: "2" }, { a: "1" }],
        ["DELETE", undefined, { a: "2" }],
      ]);
    },

    "a patch of a webhook changes the object, before others check it": async (world) => {
      await using first = await TestWebhook.start(world, () =>
        patchOf([{ op: "add", path: "/metadata/annotations", value: { "example.com/touched": "yes" } }]),
      );
      await using second = await TestWebhook.start(world, allow);
      await first.install("mutating", first.entry());
      const either = [{ key: "hook", operator: "In", values: [first.name, second.name] }];
      await second.install("validating", second.entry({ objectSelector: { matchExpressions: either } }));
      const made = taken(
        await world.of(ConfigMaps).create({ metadata: { name: "patched", labels: first.labels } }),
        201,
      );
      expect(made.metadata.annotations).toEqual({ "example.com/touched": "yes" });
      expect(second.asked.map(({ object }) => object?.metadata.annotations)).toEqual([
        { "example.com/touched": "yes" },
      ]);
    },

    "what a webhook made is validated": async (world) => {
      await using hook = await TestWebhook.start(world, ({ name }) =>
        name === "probe" ? { allowed: true } : patchOf([{ op: "add", path: "/data", value: { "a/b": "1" } }]),
      );
      await hook.install("mutating", hook.entry());
      refused(
        await world.of(ConfigMaps).create({ metadata: { name: "wrong", labels: hook.labels } }),
        422,
        "Invalid",
        /^ConfigMap "wrong" is invalid: data\[a\/b\]: Invalid value/,
      );
    },

    "warnings reach the client": async (world) => {
      await using hook = await TestWebhook.start(world, () => ({
        allowed: true,
        warnings: ["mind this", "and that"],
      }));
      await hook.install("validating", hook.entry());
      const answer = await world.of(ConfigMaps).create({ metadata: { name: "warned", labels: hook.labels } });
      taken(answer, 201);
      expect(answer.headers.warning).toBe('299 - "mind this", 299 - "and that"');
    },

    "objects without the label are not asked about": async (world) => {
      await using hook = await TestWebhook.start(world, () => ({ allowed: false }));
      await hook.install("validating", hook.entry());
      taken(await world.of(ConfigMaps).create({ metadata: { name: "unlabelled" } }), 201);
      expect(hook.asked).toEqual([]);
    },

    "namespaces without the label are not asked about": async (world) => {
      await using hook = await TestWebhook.start(world, ({ namespace }) => ({
        allowed: namespace !== world.namespace,
      }));
      const namespaceSelector = { matchLabels: { "kubernetes.io/metadata.name": world.namespace } };
      await hook.install("validating", hook.entry({ namespaceSelector }));
      const elsewhere = world.api.of(ConfigMaps, "default");
      taken(
        await elsewhere.create({ metadata: { name: "probe", labels: hook.labels } }, { dryRun: "All" }),
        201,
      );
      expect(hook.asked).toEqual([]);
    },

    "operations that are not named are not asked about": async (world) => {
      await using hook = await TestWebhook.start(world, allow);
      const rules = [{ apiGroups: ["*"], apiVersions: ["*"], resources: ["*"], operations: ["CREATE"] }];
      await hook.install("validating", hook.entry({ rules }));
      const things = world.of(ConfigMaps);
      taken(await things.create({ metadata: { name: "created", labels: hook.labels } }));
      taken(await things.patch("created", "merge", { data: { a: "1" } }));
      taken(await things.delete("created"));
      expect(hook.asked.map(({ operation }) => operation)).toEqual(["CREATE"]);
    },

    "conditions in CEL narrow what is asked about": async (world) => {
      await using hook = await TestWebhook.start(world, () => ({ allowed: false }));
      const matchConditions = [
        { name: "not-free", expression: "!has(object.data) || !('free' in object.data)" },
        { name: "creation", expression: "request.operation == 'CREATE'" },
      ];
      await hook.install("validating", hook.entry({ matchConditions }));
      taken(
        await world
          .of(ConfigMaps)
          .create({ metadata: { name: "free", labels: hook.labels }, data: { free: "1" } }),
        201,
      );
      expect(
        (await world.of(ConfigMaps).create({ metadata: { name: "bound", labels: hook.labels } })).code,
      ).toBe(400);
    },

    "custom objects and their status are asked about": async (world) => {
      const { of, widgets, group } = world;
      await using hook = await TestWebhook.start(world, allow);
      const resources = ["widgets", "widgets/status", "configmaps"];
      const rules = [{ apiGroups: [group, ""], apiVersions: ["v1"], resources, operations: ["*"] }];
      await hook.install("validating", hook.entry({ rules }));
      const made = taken(await of(widgets).create({ metadata: { name: "custom", labels: hook.labels } }));
      const reported = taken(
        await of(widgets)
          .sub("status")
          .replace({ ...made, status: { phase: "x" } }),
      );
      taken(await of(widgets).replace({ ...reported, spec: { size: 1 } }));
      expect(hook.asked.map(({ operation, subResource }) => [operation, subResource])).toEqual([
        ["CREATE", undefined],
        ["UPDATE", "status"],
        ["UPDATE", undefined],
      ]);
    },

    "a webhook that cannot be reached refuses when it must not fail": async (world) => {
      await using hook = await TestWebhook.start(world, allow);
      const clientConfig = { ...hook.clientConfig, url: `https://${world.host}:1/hook` };
      await hook.install("validating", hook.entry({ clientConfig }), ({ code }) => code === 500);
      refused(
        await world.of(ConfigMaps).create({ metadata: { name: "fail", labels: hook.labels } }),
        500,
        "InternalError",
        /^Internal error occurred: failed calling webhook "hook.example.com": failed to call webhook: Post "https:\/\/[\d.]+:1\/hook\?timeout=5s": .*connection refused$/,
      );
    },

    "a webhook that cannot be reached is passed over when it may fail": async (world) => {
      await using hook = await TestWebhook.start(world, allow);
      const clientConfig = { ...hook.clientConfig, url: `https://${world.host}:1/hook` };
      await using other = await TestWebhook.start(world, allow);
      await hook.install("validating", hook.entry({ clientConfig, failurePolicy: "Ignore" }), () => true);
      await other.install("validating", other.entry());
      taken(await world.of(ConfigMaps).create({ metadata: { name: "ignore", labels: hook.labels } }), 201);
    },

    "a server with a certificate of another authority is not trusted": async (world) => {
      await using hook = await TestWebhook.start(world, allow);
      await using other = await TestWebhook.start(world, allow);
      const clientConfig = { ...hook.clientConfig, caBundle: other.clientConfig.caBundle };
      await hook.install("validating", hook.entry({ clientConfig }), ({ code }) => code === 500);
      const answer = await world
        .of(ConfigMaps)
        .create({ metadata: { name: "untrusted", labels: hook.labels } });
      expect(answer.code).toBe(500);
      expect(hook.asked).toEqual([]);
    },

    "a webhook with side effects is not asked in a dry run": async (world) => {
      await using hook = await TestWebhook.start(world, allow);
      const entry = hook.entry({ sideEffects: "NoneOnDryRun" });
      await hook.install("validating", entry);
      taken(
        await world
          .of(ConfigMaps)
          .create({ metadata: { name: "dry", labels: hook.labels } }, { dryRun: "All" }),
      );
      expect(hook.asked.map(({ dryRun }) => dryRun)).toEqual([true]);
    },

    "configurations have defaults": async (world) => {
      await using hook = await TestWebhook.start(world, allow);
      const { timeoutSeconds: _, objectSelector: __, ...entry } = hook.entry();
      const made = taken(
        await world.api
          .of(ValidatingWebhookConfigurations)
          .create({ metadata: { name: hook.name }, webhooks: [entry] }, { dryRun: "All" }),
        201,
      );
      expect(made.webhooks).toMatchObject([
        {
          failurePolicy: "Fail",
          matchPolicy: "Equivalent",
          namespaceSelector: {},
          objectSelector: {},
          timeoutSeconds: 10,
          rules: [{ scope: "*" }],
        },
      ]);
    },
  },
};

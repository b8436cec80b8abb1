import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { kopiur } from "../../src/apis/kopiur/api.ts";
import { MANAGED_BY } from "../../src/core/work/run_labels.ts";
import { SESSION_PORTS } from "../../src/core/work/session/session_port.ts";
import { kubeconfigOf, openAccess } from "../../src/embedded/access.ts";
import { ControlPlane } from "../../src/embedded/control_plane.ts";
import { serveHttps } from "../../src/embedded/https_front.ts";
import { MemoryStore } from "../../src/embedded/store/memory_store.ts";
import crds from "../../src/kinds/kopiur/generated/crds.json" with { type: "json" };
import { KINDS } from "../../src/kinds/kopiur/kinds.ts";
import { CustomResourceDefinitions, Deployments, Namespaces } from "../../src/kube/builtin.ts";
import { HttpClient } from "../../src/kube/client/http_client.ts";
import type { Draft, KubeObject } from "../../src/kube/object.ts";
import { grantedRules } from "../../src/kube/policy_rules.ts";
import type { Resource } from "../../src/kube/resource.ts";
import { systemClock as clock } from "../../src/lib/clock.ts";
import { listen } from "../../src/lib/https_server.ts";
import { systemRandom as random } from "../../src/lib/random.ts";
import { APIS } from "../../src/main/apis.ts";
import { cleanupRules } from "../../src/main/cleanup_rights.ts";
import { operatorRules } from "../../src/main/operator_rights.ts";
import { operatorSettings } from "../../src/main/operator_settings.ts";
import {
  CHART,
  helm,
  NAMESPACE,
  one,
  type Rendered,
  rendered,
  renderedThere,
  template,
  type Values,
} from "./rendered_chart.ts";

/**
 * Looks into a cluster that is served by this process. Helm 4 wants every kind of the chart to be there, and this one
 * has no Services: with it `test/cluster/install.test.ts` looks into a real one.
 */
const looking = test.skipIf(process.env.HOLDFAST_TEST_HELM === "helm-4");

const CERT_MANAGER = ["cert-manager.io/v1"];
const PEM = Buffer.from("-----BEGIN CERTIFICATE-----\nMII=\n-----END CERTIFICATE-----\n").toString("base64");
/** As where nothing can be looked up. */
const ADOPTED = { "crds.foreign": "adopt", installCRDs: false };
const REMOVING = { installScope: "cluster", "crds.keep": false };
const BY_HAND = { "webhook.tls.secretName": "mine", "webhook.caBundle": PEM };

const COLLECTOR = {
  "observability.otlp.enabled": true,
  "observability.otlp.endpoint": "http://collector:4318",
};
const GIVEN_ACCOUNT = { "serviceAccount.create": false, "serviceAccount.name": "mine" };
const SCRAPED = { "metrics.serviceMonitor.enabled": true };
const OWN_RULE = {
  "rbac.extraRules[0].apiGroups[0]": "example.org",
  "rbac.extraRules[0].resources[0]": "databases",
  "rbac.extraRules[0].verbs[0]": "patch",
};

const CONSOLE = { "console.enabled": true };
const OIDC = {
  ...CONSOLE,
  "console.url": "https://backups.example.org",
  "console.oidc.issuer": "https://issuer.example.org",
  "console.oidc.clientID": "holdfast",
};
/** Where an object is in what is rendered: its kind and name. */
type Place = readonly [kind: string, name: string];
const OPERATOR: Place = ["Deployment", "holdfast"];
const PAGE: Place = ["Deployment", "holdfast-console"];
const PODS: readonly Place[] = [OPERATOR, ["Job", "holdfast-cleanup"]];
const ACCOUNT: Place = ["ServiceAccount", "holdfast"];
const BINDINGS: readonly Place[] = [
  ["ClusterRoleBinding", `holdfast-${NAMESPACE}`],
  ["RoleBinding", "holdfast"],
];
const OWN_CLASS: Place = ["PriorityClass", `holdfast-${NAMESPACE}`];
const MONITOR: Place = ["ServiceMonitor", "holdfast"];

const pod = (spec: object) => ({ spec: { template: { spec } } });
const container = (wanted: object) => pod({ containers: [wanted] });
const variable = (name: string, value: string) =>
  container({ env: expect.arrayContaining([{ name, value }]) });

/** What is declared, by the end of the names that the roles have. */
const RULES = [
  ["", operatorRules],
  ["-cleanup", cleanupRules],
] as const;

/** Value sets that between them bring every template. */
const PLUMBER = { installScope: "cluster", "apis.plumber.enabled": true };
const ALL_APIS = Object.fromEntries(APIS.map(({ name }) => [`apis.${name}.enabled`, true]));

const SETS: readonly (readonly [string, Values, readonly string[]])[] = [
  ["its defaults", {}, []],
  ["the whole cluster", { installScope: "cluster", "lendSecrets.enabled": true }, []],
  ["protection by labels", PLUMBER, []],
  ["every API", { installScope: "cluster", ...ALL_APIS }, []],
  ["cert-manager", { "webhook.certManager.enabled": true }, CERT_MANAGER],
  [
    "an issuer of somebody's",
    { "webhook.certManager.enabled": true, "webhook.certManager.issuerRef.name": "ca" },
    CERT_MANAGER,
  ],
  ["certificates by hand", BY_HAND, []],
  ["the console", { ...OIDC, "console.tls.secretName": "mine" }, []],
  ["no webhooks", { "webhook.enabled": false, replicas: 1, "metrics.enabled": false }, []],
  [
    "all that is optional",
    {
      "networkPolicy.enabled": true,
      "priorityClass.create": true,
      "metrics.serviceMonitor.enabled": true,
      "metrics.serviceMonitor.labels.team": "storage",
      "metrics.prometheusRule.enabled": true,
      "grafanaDashboard.enabled": true,
      "image.registry": "mirror.example.org/all",
      "image.operator.digest": `sha256:${"a".repeat(64)}`,
      "image.pullSecrets[0].name": "mirror",
      "podLabels.team": "storage",
      "tolerations[0].operator": "Exists",
      "extraEnv[0].name": "HTTPS_PROXY",
      "extraEnv[0].value": "http://proxy",
    },
    ["monitoring.coreos.com/v1"],
  ],
];

describe("the chart", () => {
  test("has nothing that helm's linter would mend", () => {
    const { status, stdout, stderr } = helm(["lint", CHART, "--strict", "--kube-version", "1.37.0"]);
    expect({ status, text: stdout + stderr }).toMatchObject({ status: 0 });
  });

  test("grants what code declares for these values, and nothing else", () => {
    const anyValues = fc.record({
      scope: fc.constantFrom("cluster" as const, "namespaced" as const),
      clusterReads: fc.boolean(),
      webhooks: fc.boolean(),
      ownCertificates: fc.boolean(),
      ownAccounts: fc.boolean(),
      volsync: fc.boolean(),
      adopting: fc.boolean(),
      removing: fc.boolean(),
      lending: fc.boolean(),
      pausingGitOps: fc.boolean(),
    });
    fc.assert(
      fc.property(anyValues, ({ lending: wished, removing, ...chosen }) => {
        const { scope, clusterReads, webhooks, ownCertificates, ownAccounts, adopting, pausingGitOps } =
          chosen;
        const lending = wished && scope === "cluster";
        const removingCrds = removing && scope === "cluster" && !adopting;
        const all = scope === "cluster" && webhooks;
        const objects = rendered({
          ...(all ? ALL_APIS : {}),
          installScope: scope,
          "rbac.clusterReads": clusterReads,
          "webhook.enabled": webhooks,
          "lendSecrets.enabled": lending,
          "plumber.output": chosen.volsync ? "volsync" : "native",
          "pauseGitOps.enabled": pausingGitOps,
          "crds.keep": !removingCrds,
          "mover.serviceAccountName": ownAccounts ? "" : "movers",
          ...(adopting ? ADOPTED : {}),
          ...(ownCertificates ? {} : BY_HAND),
        });
        const install = { ...chosen, namespace: NAMESPACE, lending, removingCrds };
        const name = scope === "cluster" ? "holdfast" : `holdfast-${NAMESPACE}`;
        for (const [suffix, rules] of RULES) {
          const wanted = grantedRules(rules(all ? APIS : [kopiur]), install);
          expect(pairs(one(objects, "ClusterRole", name + suffix))).toEqual(pairs({ rules: wanted.cluster }));
          expect(pairs(one(objects, "Role", `holdfast${suffix}`))).toEqual(pairs({ rules: wanted.home }));
        }
      }),
      { numRuns: 12 },
    );
  });

  looking.each(["cluster", "namespaced"] as const)(
    "takes back the webhooks of an API that it does not serve any more, and touches nothing else of it: %s",
    async (scope) => {
      await using cluster = await clusterOf(crds);
      const objects = await renderedThere(cluster.kubeconfig, {
        installScope: scope,
        "crds.foreign": "skip",
        "crds.keep": scope === "namespaced",
      });
      expect(objects.map(({ kind }) => kind)).not.toContain("CustomResourceDefinition");
      expect(settingsIn(objects).apis).toEqual([]);
      expect(settingsIn(objects, ["Job", "holdfast-cleanup"]).apis).toEqual([]);
      const install = {
        scope,
        namespace: NAMESPACE,
        clusterReads: true,
        lending: false,
        pausingGitOps: false,
        webhooks: true,
        ownCertificates: true,
        ownAccounts: true,
        volsync: false,
        adopting: false,
        removingCrds: scope === "cluster",
      };
      const name = scope === "cluster" ? "holdfast" : `holdfast-${NAMESPACE}`;
      for (const [suffix, rules] of RULES) {
        const wanted = grantedRules(rules([]), install);
        const granted = pairs(one(objects, "ClusterRole", name + suffix));
        expect(granted).toEqual(pairs({ rules: wanted.cluster }));
        // Whichever scope it had before.
        const webhooks = APIS.flatMap((api) => [`holdfast-${api.name}`, `holdfast-${api.name}-${NAMESPACE}`]);
        const removal = ["validating", "mutating"].flatMap((kind) =>
          ["get", "delete"].flatMap((verb) =>
            webhooks.map((one) => `${verb} ${kind}webhookconfigurations.admissionregistration.k8s.io ${one}`),
          ),
        );
        expect(granted).toEqual(removal.toSorted());
        expect(pairs(one(objects, "Role", `holdfast${suffix}`))).toEqual(pairs({ rules: wanted.home }));
      }
    },
  );

  looking(
    "works with CRDs that were applied by hand where it brings none, and not with another release's unasked",
    async () => {
      await using cluster = await clusterOf(crds);
      const there = (values: Values = {}) =>
        renderedThere(cluster.kubeconfig, { installCRDs: false, ...values });
      const mark = async (owner: string) => {
        const annotations = {
          "meta.helm.sh/release-name": owner,
          "meta.helm.sh/release-namespace": NAMESPACE,
        };
        const patch = { metadata: { annotations } };
        for (const { metadata } of crds) {
          await cluster.client.patch(CustomResourceDefinitions, metadata, { type: "merge", patch });
        }
      };
      expect(settingsIn(await there()).apis).toEqual([kopiur]);
      await mark("holdfast");
      expect(settingsIn(await there()).apis).toEqual([kopiur]);
      await mark("another");
      await expect(there()).rejects.toMatchObject({
        stderr: expect.stringContaining("exist already and belong to somebody else, so they are not touched"),
      });
      expect(settingsIn(await there({ "crds.foreign": "skip" })).apis).toEqual([]);
      expect(settingsIn(await there({ "crds.foreign": "adopt" }))).toMatchObject({
        apis: [kopiur],
        adopt: {},
      });
    },
  );

  looking.each(["cluster", "namespaced"] as const)(
    "does not go back to one namespace on an upgrade, as objects elsewhere would be held for ever: from %s",
    async (before) => {
      await using cluster = await clusterOf([]);
      const [deployment] = rendered({ installScope: before }).filter(({ kind }) => kind === "Deployment");
      await cluster.client.create(Namespaces, { metadata: { name: NAMESPACE } });
      await cluster.client.create(Deployments, deployment as never);
      const upgrade = (installScope: string) =>
        renderedThere(cluster.kubeconfig, { installScope }, ["--is-upgrade"]).then(
          () => "",
          ({ stderr }: { readonly stderr: string }) => stderr,
        );
      expect(await upgrade("cluster")).toBe("");
      const narrowed = await upgrade("namespaced");
      if (before === "namespaced") expect(narrowed).toBe("");
      else expect(narrowed).toMatch(/add --reset-then-reuse-values, .*uninstall the release first/);
    },
  );

  test("gives rules of the user's own to the operator alone", () => {
    const objects = rendered(OWN_RULE);
    const granted = (name: string) => pairs(one(objects, "Role", name));
    expect(granted("holdfast")).toContain("patch databases.example.org *");
    expect(granted("holdfast-cleanup")).not.toContain("patch databases.example.org *");
  });

  test("gives the console no right, no token, and the authority of the API server alone", () => {
    const objects = rendered({ ...CONSOLE, installScope: "cluster" });
    const account = "holdfast-console";
    expect(one(objects, "ServiceAccount", account)).toMatchObject({ automountServiceAccountToken: false });
    const bound = objects.flatMap(({ kind, subjects }) => (/Binding$/.test(kind) ? (subjects ?? []) : []));
    expect(bound.map(({ name }) => name)).toContain("holdfast");
    expect(bound.map(({ name }) => name)).not.toContain(account);
    const page = one(objects, ...PAGE);
    expect(podOf(page)).toMatchObject({ serviceAccountName: account, automountServiceAccountToken: false });
    expect(podOf(page).volumes).toEqual([{ name: "api-server", configMap: { name: "kube-root-ca.crt" } }]);
    const { selector, ports } = one(objects, "Service", account).spec as ServiceSpec;
    expect(podLabels(page)).toMatchObject(selector);
    expect(podLabels(one(objects, ...OPERATOR))).not.toMatchObject(selector);
    const listens = podOf(page).containers.flatMap((container) => container.ports ?? []);
    expect(listens).toContainEqual(expect.objectContaining({ name: ports[0]?.targetPort }));
    // A Service, an account and a Deployment, and only where it is wanted.
    expect(objects.length - rendered({ installScope: "cluster" }).length).toBe(3);
  });

  test("leaves of a failed uninstall the Job to read, and no rights", () => {
    const left = rendered()
      .filter(({ metadata }) => metadata.annotations?.["helm.sh/hook"] === "post-delete")
      .filter(
        ({ metadata }) => !metadata.annotations?.["helm.sh/hook-delete-policy"]?.includes("hook-failed"),
      );
    expect(left.map(({ kind }) => kind)).toEqual(["Job"]);
    expect(left[0]?.metadata.annotations?.["helm.sh/hook-delete-policy"]).toContain("hook-succeeded");
  });

  test.each<[Values, boolean]>([
    [{}, false],
    [{ "rbac.create": false }, true],
    [{ "uninstall.cleanup": false }, true],
  ])("says with %j whether somebody has to clean up by hand: %j", async (values, byHand) => {
    expect((await notesOf(values)).includes("run the operator's image with --cleanup")).toBe(byHand);
  });

  test("lets the rights of users follow those that they have in a namespace", () => {
    const kinds = KINDS.filter(({ resource }) => resource.namespaced).map(({ resource }) => resource.plural);
    const objects = rendered({ installScope: "cluster" });
    const rules = (role: string) => one(objects, "ClusterRole", `holdfast-kopiur-${role}`).rules?.[0];
    expect(rules("edit")?.resources).toEqual(kinds.toSorted());
    expect(rules("edit")?.verbs).toContain("get");
    // Whoever may get a Backup may restore it elsewhere.
    expect(rules("view")?.resources).toEqual(
      kinds.filter((plural) => !["backups", "backupconfigs"].includes(plural)).toSorted(),
    );
  });

  test("lets who may edit a namespace delete Backups that a driver writes, and not write them", () => {
    const objects = rendered({ installScope: "cluster", "apis.cozystack.enabled": true });
    const { rules = [] } = one(objects, "ClusterRole", "holdfast-cozystack-edit");
    const verbsOf = (plural: string) =>
      rules.flatMap((rule) => (rule.resources?.includes(plural) ? rule.verbs : []));
    expect(verbsOf("backups")).toEqual(["get", "list", "watch", "delete", "deletecollection"]);
    expect(verbsOf("restorejobs")).toContain("create");
  });

  test("installs every CRD as it is generated, and keeps it", () => {
    const found = rendered().filter(({ kind }) => kind === "CustomResourceDefinition");
    const byName = (list: readonly { metadata: { name: string }; spec?: unknown }[]) =>
      Object.fromEntries(list.map(({ metadata, spec }) => [metadata.name, spec]));
    expect(byName(found)).toEqual(byName(crds));
    expect(new Set(found.map(({ metadata }) => metadata.annotations?.["helm.sh/resource-policy"]))).toEqual(
      new Set(["keep"]),
    );
    expect(new Set(found.map(({ metadata }) => metadata.labels?.["app.kubernetes.io/part-of"]))).toEqual(
      new Set(["kopiur"]),
    );
    expect(rendered({ installCRDs: false }).some(({ kind }) => kind === "CustomResourceDefinition")).toBe(
      false,
    );
  });

  test("removes its CRDs by the last Job, if at all, and never by Helm, which would not wait for the operator", () => {
    const objects = rendered(REMOVING);
    const annotations = objects
      .filter(({ kind }) => kind === "CustomResourceDefinition")
      .map(({ metadata }) => metadata.annotations);
    expect(new Set(annotations.map((one) => one?.["helm.sh/resource-policy"]))).toEqual(new Set(["keep"]));
    const removeCrdsOf = (values: Values) => settingsOf(values, [], ["Job", "holdfast-cleanup"]).removeCrdsOf;
    expect(removeCrdsOf(REMOVING)).toEqual({
      namespace: NAMESPACE,
      name: "holdfast",
    });
    expect(removeCrdsOf({ installCRDs: false, "crds.keep": false })).toBeUndefined();
    expect(removeCrdsOf({})).toBeUndefined();
  });

  test.each(SETS)("has pods that the restricted standard admits: %s", (_, values, apis) => {
    for (const object of rendered(values, apis).filter(
      ({ kind }) => kind === "Deployment" || kind === "Job",
    )) {
      const { securityContext, containers, volumes = [] } = podOf(object);
      expect(securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: "RuntimeDefault" },
      });
      for (const container of containers) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        });
        const [memory, limit] = container.name === "console" ? ["96Mi", "256Mi"] : ["128Mi", "512Mi"];
        expect(container.resources).toMatchObject({ requests: { memory }, limits: { memory: limit } });
      }
      expect(volumes.flatMap((volume) => Object.keys(volume))).not.toContain("hostPath");
    }
  });

  test.each(SETS)("is understood by an API server: %s", async (_, values, apis) => {
    const plane = new ControlPlane({ store: new MemoryStore({ clock }), clock, random });
    const client = new HttpClient({ sender: plane.sender, clock, random });
    await client.create(Namespaces, { metadata: { name: NAMESPACE } });
    const unknown = new Set<string>();
    for (const object of rendered(values, apis)) {
      const resource = resourceOf(object);
      if (!(await client.serves(resource))) unknown.add(object.kind);
      else
        await client.create(resource, object as Draft<KubeObject>, {
          dryRun: true,
          fieldValidation: "Strict",
        });
    }
    const notServed = [
      "ValidatingAdmissionPolicy",
      "ValidatingAdmissionPolicyBinding",
      "Certificate",
      "DaemonSet",
      "Issuer",
      "NetworkPolicy",
      "PodDisruptionBudget",
      "PriorityClass",
      "PrometheusRule",
      "Service",
      "ServiceMonitor",
    ];
    expect([...unknown].filter((kind) => !notServed.includes(kind))).toEqual([]);
    plane.sender.close();
  });

  test("hands the settings of an API to the operator", () => {
    const { apis, shared } = settingsOf({ ...PLUMBER, "plumber.mode": "strict" });
    expect(apis.map(({ name }) => name)).toEqual(["kopiur", "plumber"]);
    expect(shared.ofApis).toMatchObject({ plumber: { mode: "strict", refreshInterval: "60s" } });
  });

  test("gives the operator an environment that it understands", () => {
    expect(settingsOf({})).toEqual({
      apis: [kopiur],
      shared: {
        moverImage: "holdfast/mover:0.1.0",
        imagePullPolicy: "IfNotPresent",
        maxRuns: 100,
        guarded: true,
      },
      logLevel: "info",
      logFormat: "text",
      healthPort: 8080,
      debugPort: 8081,
      telemetry: { type: "off" },
      namespace: NAMESPACE,
      webhook: { reach: { service: "holdfast-webhook" }, port: 8443 },
    });
    expect(settingsOf({ installScope: "cluster", "webhook.enabled": false })).not.toHaveProperty("namespace");
    expect(settingsOf({ "webhook.enabled": false })).not.toHaveProperty("webhook");
    expect(settingsOf(BY_HAND).webhook).toMatchObject({
      certificateFolder: "/certificates",
      authority: expect.stringContaining("BEGIN"),
    });
    expect(settingsOf({ "webhook.certManager.enabled": true }, CERT_MANAGER).webhook).toMatchObject({
      certificateFolder: "/certificates",
      certificate: `${NAMESPACE}/holdfast-webhook`,
    });
    const many = {
      installScope: "cluster",
      "lendSecrets.enabled": true,
      "createRepositories.enabled": true,
      "hooks.localAddresses": true,
      maxRuns: 7,
      "mover.imagePullSecrets[0].name": "mirror",
      "mover.imagePullSecrets[1].name": "mirror.old",
      "image.registry": "mirror.example.org",
      "image.mover.digest": `sha256:${"b".repeat(64)}`,
      "image.pullPolicy": "Never",
    };
    expect(settingsOf(many).shared).toEqual({
      moverImage: `mirror.example.org/holdfast/mover@sha256:${"b".repeat(64)}`,
      imagePullPolicy: "Never",
      lendSecrets: true,
      createRepositories: true,
      hooksMayCallLocalAddresses: true,
      maxRuns: 7,
      moverAccount: { type: "own", pullSecrets: ["mirror", "mirror.old"] },
      guarded: true,
    });
    expect(settingsOf(ADOPTED).adopt).toEqual({});
    const since = { ...ADOPTED, "crds.previousControllerStoppedAt": "2026-01-31T18:30:00Z" };
    expect(settingsOf(since).adopt).toEqual({ previousControllerStoppedAt: Date.UTC(2026, 0, 31, 18, 30) });
    expect(settingsOf({ "mover.serviceAccountName": "movers" }).shared.moverAccount).toEqual({
      type: "given",
      name: "movers",
    });
  });

  test.each([
    [{ "logging.level": "debug", "controller.logLevel": "warn" }, "debug"],
    [{ "controller.logLevel": "warn" }, "warn"],
  ])("takes the log level from %j", (values, level) => {
    expect(settingsOf(values).logLevel).toBe(level);
  });

  test("writes logs for people, or for machines", () => {
    expect(settingsOf({}).logFormat).toBe("text");
    expect(settingsOf({ "logging.format": "json" }).logFormat).toBe("json");
  });

  test("pushes telemetry where it is told to", () => {
    const values = {
      "observability.otlp.enabled": true,
      "observability.otlp.endpoint": "http://collector:4318",
      "observability.otlp.headers": "authorization=Bearer%20a",
    };
    expect(settingsOf(values).telemetry).toEqual({
      type: "push",
      otlp: { endpoint: "http://collector:4318", headers: { authorization: "Bearer a" } },
    });
  });

  test.each([
    ["http://collector:4318", 4318],
    ["https://collector.example.org/otlp", 443],
    ["http://[fd00::1]", 80],
  ])("lets the operator out to the collector %s", (endpoint, port) => {
    const ports = (enabled: boolean) => {
      const otlp = { "observability.otlp.enabled": enabled, "observability.otlp.endpoint": endpoint };
      const { egress } = one(rendered({ "networkPolicy.enabled": true, ...otlp }), "NetworkPolicy").spec as {
        readonly egress: readonly { readonly ports: readonly { readonly port: number }[] }[];
      };
      return egress.map((rule) => rule.ports.map((one) => one.port));
    };
    expect(ports(true)).toContainEqual([port]);
    expect(ports(false)).not.toContainEqual([port]);
  });

  test("lets the operator be called and scraped, and reach the API server, names and movers, and nothing else", () => {
    const objects = rendered({ "networkPolicy.enabled": true, "networkPolicy.apiServerPorts[0]": 6443 });
    const { podSelector, policyTypes, ingress, egress } = one(objects, "NetworkPolicy")
      .spec as NetworkPolicySpec;
    expect(policyTypes).toEqual(["Ingress", "Egress"]);
    const pods = objects.filter(({ kind }) => kind === "Deployment" || kind === "Job").map(podLabels);
    expect(pods).toHaveLength(2);
    for (const labels of pods) expect(labels).toMatchObject(podSelector.matchLabels);
    // Movers do their work where no policy of the chart's reaches.
    expect(MANAGED_BY).not.toMatchObject(podSelector.matchLabels);
    const listens = podOf(one(objects, "Deployment")).containers.flatMap(({ ports = [] }) => ports);
    expect(ingress).toEqual([{ ports: listens.map(({ name }) => ({ port: name, protocol: "TCP" })) }]);
    const anywhere = egress.filter(({ to }) => to === undefined).flatMap(({ ports }) => ports);
    expect(anywhere).toEqual([
      { port: 6443, protocol: "TCP" },
      { port: 53, protocol: "UDP" },
      { port: 53, protocol: "TCP" },
    ]);
    expect(egress.filter(({ to }) => to !== undefined)).toEqual([
      {
        to: [{ namespaceSelector: {} }],
        ports: [{ port: SESSION_PORTS.first, endPort: SESSION_PORTS.last, protocol: "TCP" }],
      },
    ]);
  });

  test("asks cert-manager for a certificate of the Service's name, by an issuer of its own or somebody's", () => {
    const values = { "webhook.certManager.enabled": true };
    const own = rendered(values, CERT_MANAGER);
    expect(one(own, "Issuer", "holdfast-webhook").spec).toEqual({ selfSigned: {} });
    expect(one(own, "Certificate", "holdfast-webhook").spec).toEqual({
      secretName: "holdfast-webhook-tls",
      dnsNames: [`holdfast-webhook.${NAMESPACE}.svc`],
      privateKey: { rotationPolicy: "Always" },
      issuerRef: { kind: "Issuer", name: "holdfast-webhook" },
    });
    expect(one(own, "Service", "holdfast-webhook").metadata.namespace).toBe(NAMESPACE);
    expect(podOf(one(own, "Deployment")).volumes).toEqual([
      { name: "certificates", secret: { secretName: "holdfast-webhook-tls" } },
    ]);
    const issuer = {
      "webhook.certManager.issuerRef.kind": "ClusterIssuer",
      "webhook.certManager.issuerRef.name": "ca",
    };
    const others = rendered({ ...values, ...issuer }, CERT_MANAGER);
    expect(others.some(({ kind }) => kind === "Issuer")).toBe(false);
    expect(one(others, "Certificate", "holdfast-webhook").spec).toMatchObject({
      issuerRef: { kind: "ClusterIssuer", name: "ca" },
    });
  });

  test("mounts the certificate that was made by hand", () => {
    const { volumes, containers } = podOf(one(rendered(BY_HAND), "Deployment"));
    expect(volumes).toEqual([{ name: "certificates", secret: { secretName: "mine" } }]);
    expect(containers[0]?.volumeMounts).toEqual([
      { name: "certificates", mountPath: "/certificates", readOnly: true },
    ]);
  });

  test("keeps the operator of a cluster out of the namespaces of the system, but for its own", () => {
    const protectedBy = (values: Values) =>
      JSON.stringify(rendered(values).find(({ kind }) => kind === "ValidatingAdmissionPolicy")?.spec ?? {});
    expect(protectedBy({ installScope: "cluster" })).toContain(
      '["kube-system","kube-public","kube-node-lease"]',
    );
    for (const account of ["holdfast", "holdfast-cleanup"]) {
      expect(protectedBy({ installScope: "cluster" })).toContain(
        `system:serviceaccount:${NAMESPACE}:${account}\\"`,
      );
    }
    // Roles of somebody's own reach there as well.
    const givenRoles = { installScope: "cluster", "rbac.create": false };
    expect(protectedBy(givenRoles)).toBe(protectedBy({ installScope: "cluster" }));
    expect(rendered(givenRoles).map(({ kind }) => kind)).toContain("ValidatingAdmissionPolicyBinding");
    const own = { installScope: "cluster", "rbac.protectedNamespaces[0]": NAMESPACE };
    expect(protectedBy(own)).toBe("{}");
    expect(protectedBy({})).toBe("{}");
  });

  test("gives way to no disruption of its only replica's", () => {
    const budgets = (values: Values) =>
      rendered(values).filter(({ kind }) => kind === "PodDisruptionBudget").length;
    expect([
      budgets({}),
      budgets({ replicas: 1 }),
      budgets({ "podDisruptionBudget.enabled": false }),
    ]).toEqual([1, 0, 0]);
  });

  test("has a Service for metrics, which leads to the operator's pods, and which a ServiceMonitor finds", () => {
    const objects = rendered({ "metrics.serviceMonitor.enabled": true }, ["monitoring.coreos.com/v1"]);
    const service = one(objects, "Service", "holdfast-metrics");
    const { selector, ports } = service.spec as ServiceSpec;
    const deployment = one(objects, "Deployment");
    expect(podLabels(deployment)).toMatchObject(selector);
    const listens = podOf(deployment).containers.flatMap((container) => container.ports ?? []);
    expect(listens).toContainEqual(expect.objectContaining({ name: ports[0]?.targetPort }));
    // The Job after an uninstall has nothing to tell, and the Service for webhooks is not to be scraped as well.
    expect(podLabels(one(objects, "Job", "holdfast-cleanup"))).not.toMatchObject(selector);
    const monitor = one(objects, "ServiceMonitor").spec as ServiceMonitorSpec;
    const found = objects.filter(
      ({ kind, metadata: { namespace, labels = {} } }) =>
        kind === "Service" &&
        namespace === NAMESPACE &&
        Object.entries(monitor.selector.matchLabels).every(([key, value]) => labels[key] === value),
    );
    expect(found).toEqual([service]);
    expect(one(objects, "ServiceMonitor").metadata.namespace).toBe(NAMESPACE);
    expect(monitor.endpoints.map(({ port }) => port)).toEqual(ports.map(({ name }) => name));
    const without = rendered({ "metrics.enabled": false }).filter(({ kind }) => kind === "Service");
    expect(without.map(({ metadata }) => metadata.name)).toEqual(["holdfast-webhook"]);
  });

  test.each<[Values, readonly Place[], object]>([
    [{ "priorityClass.create": true, "priorityClass.value": 7 }, [OWN_CLASS], { value: 7 }],
    [{ "priorityClass.create": true }, [OPERATOR], pod({ priorityClassName: OWN_CLASS[1] })],
    [{ "priorityClass.create": true, "priorityClass.name": "high" }, [["PriorityClass", "high"]], {}],
    [{ "priorityClass.name": "high" }, [OPERATOR], pod({ priorityClassName: "high" })],
    [{ "image.pullSecrets[0].name": "mirror" }, PODS, pod({ imagePullSecrets: [{ name: "mirror" }] })],
    [{ "image.operator.tag": "1.2.3" }, PODS, container({ image: "holdfast/operator:1.2.3" })],
    [{ "image.mover.tag": "1.2.3" }, [OPERATOR], variable("HOLDFAST_MOVER_IMAGE", "holdfast/mover:1.2.3")],
    [{ ...COLLECTOR, "observability.otlp.strict": true }, [OPERATOR], variable("HOLDFAST_OTEL_STRICT", "on")],
    [COLLECTOR, [OPERATOR], variable("HOLDFAST_OTEL_STRICT", "off")],
    [{ "extraEnv[0].name": "NO_PROXY", "extraEnv[0].value": "x" }, [OPERATOR], variable("NO_PROXY", "x")],
    [
      { "resources.limits.memory": "1Gi" },
      PODS,
      container({ resources: { requests: { cpu: "50m", memory: "128Mi" }, limits: { memory: "1Gi" } } }),
    ],
    [{ "serviceAccount.annotations.a": "b" }, [ACCOUNT], { metadata: { annotations: { a: "b" } } }],
    [{ "serviceAccount.name": "mine" }, [["ServiceAccount", "mine"]], {}],
    [{ "serviceAccount.name": "mine" }, [OPERATOR], pod({ serviceAccountName: "mine" })],
    [GIVEN_ACCOUNT, [OPERATOR], pod({ serviceAccountName: "mine" })],
    [GIVEN_ACCOUNT, BINDINGS, { subjects: [{ kind: "ServiceAccount", name: "mine", namespace: NAMESPACE }] }],
    [{ "nodeSelector.disk": "ssd" }, PODS, pod({ nodeSelector: { disk: "ssd" } })],
    [{ "tolerations[0].operator": "Exists" }, PODS, pod({ tolerations: [{ operator: "Exists" }] })],
    [{ "affinity.podAffinity.a": "b" }, [OPERATOR], pod({ affinity: { podAffinity: { a: "b" } } })],
    [{ "podLabels.team": "x" }, [OPERATOR], { spec: { template: { metadata: { labels: { team: "x" } } } } }],
    [
      { "podAnnotations.team": "x" },
      [OPERATOR],
      { spec: { template: { metadata: { annotations: { team: "x" } } } } },
    ],
    [
      { ...SCRAPED, "metrics.serviceMonitor.labels.release": "prometheus" },
      [MONITOR],
      { metadata: { labels: { release: "prometheus" } } },
    ],
    [
      { ...SCRAPED, "metrics.serviceMonitor.interval": "7s" },
      [MONITOR],
      { spec: { endpoints: [{ interval: "7s" }] } },
    ],
    [OIDC, [PAGE], variable("HOLDFAST_CONSOLE_OIDC_ISSUER", "https://issuer.example.org")],
    [OIDC, [PAGE], variable("HOLDFAST_CONSOLE_OIDC_CLIENT", "holdfast")],
    [OIDC, [PAGE], variable("HOLDFAST_CONSOLE_OIDC_SCOPES", "email groups")],
    [OIDC, [PAGE], variable("HOLDFAST_CONSOLE_ADDRESS", "https://backups.example.org")],
    [
      { ...OIDC, "console.oidc.secretName": "client" },
      [PAGE],
      variable("HOLDFAST_CONSOLE_OIDC_SECRET_FILE", "/oidc/client-secret"),
    ],
    [
      { ...OIDC, "console.oidc.caConfigMapName": "our-ca" },
      [PAGE],
      variable("HOLDFAST_CONSOLE_OIDC_CA", "/oidc-ca/ca.crt"),
    ],
    [
      { ...OIDC, "console.oidc.caConfigMapName": "our-ca" },
      [PAGE],
      pod({ volumes: expect.arrayContaining([{ name: "oidc-ca", configMap: { name: "our-ca" } }]) }),
    ],
    [CONSOLE, [PAGE], variable("HOLDFAST_CONSOLE", "/usr/local/lib/holdfast/console")],
    [
      { ...CONSOLE, "console.tls.secretName": "mine" },
      [PAGE],
      variable("HOLDFAST_CONSOLE_CERTIFICATES", "/certificates"),
    ],
    [
      { ...CONSOLE, "console.tls.secretName": "mine" },
      [["Service", "holdfast-console"]],
      { spec: { ports: [{ name: "https", port: 443 }] } },
    ],
    [{ ...CONSOLE, "image.console.tag": "1.2.3" }, [PAGE], container({ image: "holdfast/console:1.2.3" })],
    [
      { ...CONSOLE, "console.resources.limits.memory": "1Gi" },
      [PAGE],
      container({ resources: expect.objectContaining({ limits: { memory: "1Gi" } }) }),
    ],
    [
      { ...CONSOLE, "networkPolicy.enabled": true },
      [["NetworkPolicy", "holdfast"]],
      { spec: { ingress: [{ ports: expect.arrayContaining([{ port: "console", protocol: "TCP" }]) }] } },
    ],
  ])("does as %j says", (values, places, wanted) => {
    const objects = rendered(values, ["monitoring.coreos.com/v1"]);
    for (const [kind, name] of places) expect(one(objects, kind, name)).toMatchObject(wanted);
  });

  test.each<[Values, readonly (readonly [kind: string, name: RegExp])[]]>([
    [{ "priorityClass.name": "high" }, [["PriorityClass", /./]]],
    [GIVEN_ACCOUNT, [["ServiceAccount", /^(?!holdfast-cleanup$)/]]],
    [{ "rbac.aggregate": false }, [["ClusterRole", /-(view|edit)$/]]],
    [
      { "rbac.create": false, installScope: "cluster" },
      [
        ["ClusterRole", /./],
        ["ClusterRoleBinding", /./],
        ["Role", /./],
        ["RoleBinding", /./],
        ["Job", /./],
      ],
    ],
    [
      { "uninstall.cleanup": false },
      ["Job", "ServiceAccount", "ClusterRole", "Role"].map((kind) => [kind, /cleanup/]),
    ],
  ])("leaves out what %j takes away", (values, away) => {
    const found = (objects: readonly Rendered[], [kind, name]: (typeof away)[number]) =>
      objects.filter((object) => object.kind === kind && name.test(object.metadata.name));
    const otherwise = rendered({ installScope: "cluster", "priorityClass.create": true });
    for (const one of away) {
      expect(found(otherwise, one), String(one)).not.toEqual([]);
      expect(found(rendered(values), one), String(one)).toEqual([]);
    }
  });

  test.each<[Values, RegExp]>([
    [{ installScope: "everything" }, /installScope/],
    [{ replicas: 0 }, /replicas/],
    [{ "crds.foreign": "refuse" }, /foreign.*'stop', 'skip', 'adopt'/],
    [{ "crds.foreign": "adopt" }, /would write over CRDs of somebody else. Set installCRDs to false/],
    [{ ...ADOPTED, "crds.previousControllerStoppedAt": "yesterday" }, /previousControllerStoppedAt/],
    [
      { ...ADOPTED, "crds.previousControllerStoppedAt": "2026-02-30T18:30:00Z" },
      /2026-02-30.*there is no such time/,
    ],
    [{ "crds.previousControllerStoppedAt": "2026-01-31T18:30:00Z" }, /crds.foreign is not adopt/],
    [{ "crds.keep": false }, /could not let go of those of other namespaces before. Set installScope/],
    [{ ...REMOVING, "uninstall.cleanup": false }, /needs uninstall.cleanup and rbac.create/],
    [{ ...REMOVING, "rbac.create": false }, /needs uninstall.cleanup and rbac.create/],
    [{ ...OWN_RULE, "rbac.create": false }, /nobody would be given these rules. Add them/],
    [{ "replica.count": 2 }, /replica/],
    [{ "image.operator.digest": "latest" }, /digest/],
    [{ "logging.level": "info,kopia=debug" }, /level/],
    [{ "logging.format": "xml" }, /format/],
    [{ "observability.otlp.enabled": true }, /where is the collector/],
    [{ "observability.otlp.headers": "authorization" }, /must be such as name=value/],
    [{ "observability.otlp.headers": "a=b,secret" }, /a part of it has no name and =/],
    [{ "observability.otlp.protocol": "grpc" }, /protocol.*http\/json/],
    [{ "apis.volsync.enabled": true }, /volsync/],
    [{ "apis.velero.enabled": true }, /apis.velero .*Set installScope to cluster/],
    [{ "apis.cozystack.enabled": true }, /apis.cozystack .*Set installScope to cluster/],
    [
      { installScope: "cluster", "apis.cozystack.enabled": true, "apis.kopiur.enabled": false },
      /apis.cozystack .*Set apis.kopiur.enabled to true/,
    ],
    [{ ...PLUMBER, "apis.kopiur.enabled": false }, /Set apis.kopiur.enabled to true/],
    [{ ...PLUMBER, installScope: "namespaced" }, /Set installScope to cluster/],
    [{ ...PLUMBER, "webhook.enabled": false }, /Set webhook.enabled to true/],
    [{ ...PLUMBER, "plumber.mode": "lax" }, /mode/],
    [{ "apis.kopiur.enabled": false }, /No API is enabled, .*: set apis.kopiur.enabled/],
    [{ "webhook.tls.secretName": "mine" }, /Set webhook.caBundle/],
    [{ "webhook.caBundle": "QQ==" }, /name the Secret/],
    [{ ...BY_HAND, "webhook.caBundle": "bm8gUEVN" }, /holds no certificate in PEM/],
    [{ "webhook.certManager.issuerRef.kind": "ClusterIssuer" }, /issuerRef has no name: name the issuer/],
    [{ "serviceAccount.create": false }, /Name an account of your own/],
    [{ "webhook.certManager.enabled": true }, /install cert-manager first/],
    [{ ...BY_HAND, "webhook.certManager.enabled": true }, /choose who makes the certificate/],
    [{ "webhook.port": 8080 }, /choose another one/],
    [{ "webhook.port": 8081 }, /choose another one/],
    [{ "mover.serviceAccountName": "Movers" }, /serviceAccountName/],
    [{ "mover.imagePullSecrets[0].name": "a,b" }, /imagePullSecrets/],
    [
      { "mover.serviceAccountName": "movers", "mover.imagePullSecrets[0].name": "mirror" },
      /give the pull secrets to that/,
    ],
    [{ "lendSecrets.enabled": true }, /set installScope to cluster/],
    [{ "metrics.serviceMonitor.enabled": true }, /install the Prometheus operator first/],
    [{ "webhook.serviceMonitor.enabled": true }, /install the Prometheus operator first/],
    [
      { "webhook.enabled": false, "webhook.serviceMonitor.enabled": true },
      /install the Prometheus operator first/,
    ],
    [{ "metrics.prometheusRule.enabled": true }, /give your Prometheus the chart's files\/alerts.yaml/],
    [{ "metrics.prometheusRule.runbookUrl": "docs/runbooks" }, /runbookUrl/],
    [{ "grafanaDashboard.labels.team": 5 }, /labels/],
    [{ "podDisruptionBudget.minAvailable": 2 }, /no node could be drained/],
    [{ ...OIDC, "console.url": "" }, /without console.oidc.clientID or console.url/],
    [{ ...OIDC, "console.url": "backups.example.org" }, /url/],
    [{ ...OIDC, "console.oidc.issuer": "http://issuer.example.org" }, /issuer/],
  ])("stops on %j with a sentence", (values, sentence) => {
    const { status, stderr } = template(values);
    expect(status).not.toBe(0);
    expect(stderr).toMatch(sentence);
  });
});

function pairs({ rules = [] }: Pick<Rendered, "rules">): readonly string[] {
  const all = rules.flatMap(({ apiGroups, resources, resourceNames = ["*"], verbs }) =>
    resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}.${apiGroups} ${resourceNames}`)),
  );
  // What several APIs ask for is granted for each.
  return [...new Set(all)].toSorted();
}

interface PodSpec {
  readonly securityContext: object;
  readonly containers: readonly {
    readonly name: string;
    readonly securityContext: object;
    readonly resources: object;
    readonly env: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: object }[];
    readonly ports?: readonly { readonly name: string }[];
    readonly volumeMounts?: readonly object[];
  }[];
  readonly volumes?: readonly object[];
}

interface ServiceSpec {
  readonly selector: Readonly<Record<string, string>>;
  readonly ports: readonly { readonly name: string; readonly targetPort: string }[];
}

interface ServiceMonitorSpec {
  readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
  readonly endpoints: readonly { readonly port: string }[];
}

interface NetworkPolicySpec {
  readonly podSelector: { readonly matchLabels: Readonly<Record<string, string>> };
  readonly policyTypes: readonly string[];
  readonly ingress: readonly object[];
  readonly egress: readonly { readonly to?: readonly object[]; readonly ports: readonly object[] }[];
}

function podLabels({ spec }: Rendered): object {
  return (spec as { readonly template: { readonly metadata: { readonly labels: object } } }).template.metadata
    .labels;
}

function podOf({ spec }: Rendered): PodSpec {
  return (spec as { readonly template: { readonly spec: PodSpec } }).template.spec;
}

function settingsOf(values: Values, apis: readonly string[] = [], [kind, name] = ["Deployment", "holdfast"]) {
  return settingsIn(rendered(values, apis), [kind, name]);
}

function settingsIn(objects: readonly Rendered[], [kind, name] = ["Deployment", "holdfast"]) {
  const { env = [] } = podOf(one(objects, kind, name)).containers[0] ?? {};
  // What comes from the pod's own metadata here is its namespace, and a name that does not matter.
  const entries = env.map(({ name, value = NAMESPACE }) => [name, value] as const);
  return operatorSettings(Object.fromEntries(entries), "0.1.0");
}

/** What is said after an install. `helm template` does not print it, so a copy of the chart has it in an object. */
async function notesOf(values: Values): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "holdfast-notes-"));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  await cp(CHART, folder, { recursive: true });
  const file = (name: string) => join(folder, "templates", name);
  const notes = await readFile(file("NOTES.txt"), "utf8");
  await writeFile(file("_notes.tpl"), `{{- define "notes" -}}${notes}{{- end -}}`);
  const head = "apiVersion: v1\nkind: Notes\nmetadata: {name: notes}";
  await writeFile(file("notes.yaml"), `${head}\nspec: {{ include "notes" . | toJson }}\n`);
  const args = ["template", "holdfast", folder, "--namespace", NAMESPACE, "--kube-version", "1.37.0"];
  const { status, stdout, stderr } = helm([...args, "--show-only", "templates/notes.yaml"], values);
  if (status !== 0) throw new Error(stderr);
  return (parse(stdout) as { readonly spec: string }).spec;
}

/** A cluster that helm can look into, with CRDs of somebody else. */
async function clusterOf(
  installed: typeof crds,
): Promise<AsyncDisposable & { readonly kubeconfig: string; readonly client: HttpClient }> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "holdfast-chart-"));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const plane = new ControlPlane({ store: new MemoryStore({ clock }), clock, random });
  const stop = new AbortController();
  const running = plane.run(stop.signal);
  stack.defer(async () => {
    stop.abort(new Error("the test is over"));
    await running;
  });
  const client = new HttpClient({ sender: plane.sender, clock, random });
  for (const crd of installed) {
    await client.apply(CustomResourceDefinitions, crd, { fieldManager: "somebody" });
  }
  const access = openAccess({ folder, clock, random });
  const { handle, connect } = plane;
  const server = await serveHttps({ listen, tls: () => access.tls, token: access.token, handle, connect });
  stack.defer(() => server.close(AbortSignal.abort()));
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, kubeconfigOf(access, `https://127.0.0.1:${server.port}`));
  const all = stack.move();
  return { kubeconfig, client, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

function resourceOf({ apiVersion, kind, metadata }: Rendered): Resource {
  const [version = "", group = ""] = apiVersion.split("/").toReversed();
  return {
    group,
    version,
    kind,
    plural: `${kind.toLowerCase()}s`,
    namespaced: metadata.namespace !== undefined,
  };
}

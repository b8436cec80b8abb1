import type { AdmissionCase } from "./admission_case.ts";
import { clusterRepository, config, repository, resolvedAs } from "./manifests.ts";

const s3 = (more: object) => ({
  backend: { s3: { bucket: "backups", auth: { secretRef: { name: "creds" } }, ...more } },
});

const MOVED_AWAY =
  "spec.backend: the repository is looked for at another place now, and its snapshots do not move there; nothing is created in its place";

export const repositoryCases: readonly AdmissionCase[] = [
  { name: "one on a volume", object: repository() },
  {
    name: "one to read from alone",
    object: repository({ spec: { access: { readOnly: true } } }),
    stored: { spec: { access: { readOnly: true } } },
  },
  {
    name: "another place of a repository that is in use, with a warning",
    object: repository({ status: { uniqueID: "id" } }),
    change: { spec: { backend: { filesystem: { pvc: { name: "nas" }, path: "/other" } } } },
    warnings: [MOVED_AWAY],
  },
  {
    name: "another place of one that was never used",
    object: repository(),
    change: { spec: { backend: { filesystem: { pvc: { name: "nas" }, path: "/other" } } } },
  },
  {
    name: "other credentials of a repository that is in use",
    object: repository({ spec: s3({}), status: { uniqueID: "id" } }),
    change: { spec: s3({ auth: { secretRef: { name: "others" } } }) },
  },
  {
    name: "a bucket's name of two letters",
    object: repository({ spec: s3({ bucket: "ab" }) }),
    refused:
      "spec.backend.s3.bucket: there can be no bucket ab: a name has 3 to 63 characters there, and this one has 2. Correct the name of the bucket.",
  },
  {
    name: "the cloud's own identity",
    object: repository({ spec: s3({ auth: { workloadIdentity: { serviceAccountName: "mover" } } }) }),
    refused:
      "spec.backend.s3.auth.workloadIdentity: the cloud's own identity of a ServiceAccount cannot be used yet: movers have no token of a ServiceAccount. Use auth.secretRef with a Secret of access keys.",
  },
  {
    name: "a server that is not verified, with a warning",
    object: repository({ spec: s3({ tls: { insecureSkipVerify: true } }) }),
    warnings: [
      "spec.backend.s3.tls.insecureSkipVerify: whoever stands between here and the server can read the credentials",
    ],
  },
  {
    name: "privileges for its movers that the namespace does not consent to",
    object: repository({ spec: { moverDefaults: { privilegedMode: true } } }),
    refused:
      "spec.moverDefaults.privilegedMode: movers cannot have privileges in namespace tenant-a: the namespace does not consent to it. Annotate the namespace with kopiur.home-operations.com/allow-privileged-movers=true, or leave privilegedMode out.",
  },
  {
    name: "privileges for its movers that the namespace consents to",
    object: repository({ namespace: "tenant-root", spec: { moverDefaults: { privilegedMode: true } } }),
  },
];

export const clusterRepositoryCases: readonly AdmissionCase[] = [
  {
    name: "one with templates",
    object: clusterRepository({ spec: { identityDefaults: { hostnameTemplate: "{{ .Namespace }}" } } }),
  },
  {
    name: "the cloud's own identity",
    object: clusterRepository({
      spec: {
        backend: { gcs: { bucket: "backups", auth: { workloadIdentity: { serviceAccountName: "mover" } } } },
      },
    }),
    refused:
      "spec.backend.gcs.auth.workloadIdentity: the cloud's own identity of a ServiceAccount cannot be used yet: movers have no token of a ServiceAccount. Use auth.secretRef with a Secret of access keys.",
  },
  {
    name: "a template that names something unknown",
    object: clusterRepository({ spec: { identityDefaults: { usernameTemplate: "{{ .Name }}" } } }),
    refused:
      'spec.identityDefaults.usernameTemplate: no username can be made from it: the template "{{ .Name }}" uses {{ .Name }}; only {{ .Namespace }} and {{ .ConfigName }} are known. Write one such as {{ .Namespace }}-{{ .ConfigName }}.',
  },
  {
    name: "a template whose text is no identity",
    object: clusterRepository({ spec: { identityDefaults: { hostnameTemplate: "{{ .Namespace }}:1" } } }),
    refused:
      "spec.identityDefaults.hostnameTemplate: no hostname can be made from it: the hostname \"namespace:1\" must be letters, digits, '.', '_' and '-', and begin and end with a letter or digit. Write one such as {{ .Namespace }}-{{ .ConfigName }}.",
  },
  {
    name: "templates that give everyone the same identity, with a warning",
    object: clusterRepository({
      spec: { identityDefaults: { hostnameTemplate: "cluster", usernameTemplate: "all" } },
    }),
    warnings: [
      "spec.identityDefaults: BackupConfigs of different names or namespaces get the same identity; use .Namespace and .ConfigName",
    ],
  },
  {
    name: "other templates than BackupConfigs have their identity from, with a warning",
    object: clusterRepository(),
    meanwhile: [
      config({
        spec: { repository: { kind: "ClusterRepository", name: "commons" } },
        status: resolvedAs("data", "tenant-a"),
      }),
    ],
    change: { spec: { identityDefaults: { hostnameTemplate: "prod-{{ .Namespace }}" } } },
    warnings: [
      "spec.identityDefaults: 1 BackupConfigs have their identity from here, and have to acknowledge another one",
    ],
  },
  {
    name: "a namespace for strays that is not there, with a warning",
    object: clusterRepository({ spec: { catalog: { fallbackNamespace: "nowhere" } } }),
    warnings: ["spec.catalog.fallbackNamespace: Namespace nowhere does not exist yet, and is waited for"],
  },
  {
    name: "privileges that the operator's namespace does not consent to, with a warning",
    object: clusterRepository({ spec: { moverDefaults: { privilegedMode: true } } }),
    warnings: [
      "the repository's moverDefaults ask for privilegedMode, to which namespace platform does not consent",
    ],
  },
];

import type { KindCases } from "./case.ts";

const creds = { name: "creds", namespace: "platform" };
const encryption = { passwordSecretRef: { ...creds, key: "KOPIA_PASSWORD" } };
const s3 = { bucket: "org", auth: { secretRef: creds } };
const least = { backend: { s3 }, encryption, allowedNamespaces: { list: ["billing"] } };

export const clusterRepositoryCases: KindCases = {
  kind: "ClusterRepository",
  cases: [
    {
      name: "the least",
      spec: least,
      stored: { engine: "kopia", create: {}, allowedNamespaces: { list: ["billing"] } },
    },
    {
      name: "templates of identities, and a place for what belongs nowhere",
      spec: {
        ...least,
        identityDefaults: {
          hostnameTemplate: "{{ .Namespace }}",
          usernameTemplate: "{{ .Namespace }}-{{ .ConfigName }}",
        },
        catalog: { fallbackNamespace: "platform" },
      },
    },
    {
      name: "a Secret without its namespace",
      spec: { ...least, encryption: { passwordSecretRef: { name: "creds" } } },
      problems: ["spec.encryption.passwordSecretRef.namespace: Required value", "<nil>: Invalid value"],
    },
    {
      name: "credentials without their namespace",
      spec: { ...least, backend: { s3: { ...s3, auth: { secretRef: { name: "creds" } } } } },
      problems: ["spec.backend.s3.auth.secretRef.namespace: Required value", "<nil>: Invalid value"],
    },
    {
      name: "authorities without their namespace",
      spec: { ...least, backend: { s3: { ...s3, tls: { caBundleRef: { configMapName: "ca" } } } } },
      problems: ["spec.backend.s3.tls.caBundleRef.namespace: Required value", "<nil>: Invalid value"],
    },
    {
      name: "no word about who may use it",
      spec: { backend: { s3 }, encryption },
      problems: ["spec.allowedNamespaces: Required value", "<nil>: Invalid value"],
    },
    {
      name: "two ways to say who may use it",
      spec: { ...least, allowedNamespaces: { list: ["billing"], all: true } },
      problems: ["spec.allowedNamespaces: Invalid value: exactly one of list, selector, all"],
    },
    {
      name: "a namespace twice",
      spec: { ...least, allowedNamespaces: { list: ["billing", "billing"] } },
      problems: ['spec.allowedNamespaces.list[1]: Duplicate value: "billing"'],
    },
    {
      name: "another splitter for a repository that exists",
      spec: { ...least, create: { splitter: "FIXED-1M" } },
      old: { spec: least, status: { uniqueID: "0a91", allowedNamespaceCount: 1 } },
      problems: ["spec.create.splitter: Invalid value: create.splitter is immutable"],
    },
  ],
};

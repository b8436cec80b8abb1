import { expect, test } from "vitest";
import {
  CLUSTER_REPOSITORIES,
  clusterRepository,
  REPOSITORIES,
  readyNas,
  SETTINGS,
} from "../testing/samples.ts";
import type { Repository } from "./repository.ts";
import { secretsNamespace, sessionRequestOn } from "./session_request.ts";

function ask(repository: Repository, lendSecrets = false) {
  const resource = repository.metadata.namespace ? REPOSITORIES : CLUSTER_REPOSITORIES;
  const settings = { ...SETTINGS, lendSecrets };
  const namespace = secretsNamespace(repository);
  return sessionRequestOn({ repository, namespace, settings, consent: false }, resource);
}

test("a repository of a namespace is asked in its own namespace, and must be the one that is known", () => {
  const request = ask(readyNas());
  expect(request.ok && request.value).toMatchObject({
    owner: { kind: "Repository", name: "nas", uid: "uid-nas" },
    namespace: "billing",
    engine: "kopia",
    repository: { expectedId: "id-1" },
    secrets: { password: { secret: "creds", key: "KOPIA_PASSWORD" } },
    repositoryVolume: { claim: "store" },
    mover: { image: "holdfast/mover:1" },
  });
});

test("one of the whole cluster is asked where its Secrets are, and nothing is lent", () => {
  const request = ask(clusterRepository());
  expect(request.ok && request.value).toMatchObject({
    owner: { kind: "ClusterRepository", name: "shared" },
    namespace: "platform",
    secrets: { password: { secret: "shared-creds" }, credentials: [{ secret: "shared-creds" }] },
  });
});

test("Secrets of two namespaces are in no session's reach, also where they could be lent to runs", () => {
  const auth = { secretRef: { name: "keys", namespace: "vault" } };
  const backend = { s3: { bucket: "backups", addressing: "Auto", auth } } as const;
  const request = ask(clusterRepository({ spec: { backend } }), true);
  expect(request).toMatchObject({
    ok: false,
    error: {
      class: "structural",
      reason: "CredentialsSplitAcrossNamespaces",
      message: expect.stringContaining("Put both Secrets into one namespace."),
    },
  });
});

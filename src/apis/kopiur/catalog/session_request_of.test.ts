import { expect, test } from "vitest";
import { clusterRepository, readyNas } from "../testing/samples.ts";
import { sessionRequestOf } from "./session_request_of.ts";
import { CatalogWorld } from "./testing/catalog_world.ts";

const { ports } = new CatalogWorld();
const { signal } = new AbortController();
const lending = { ...ports, settings: { ...ports.settings, lendSecrets: true } };

test("a Repository is asked in its own namespace, and must be the one that is known", async () => {
  const request = await sessionRequestOf(ports, readyNas(), signal);
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

test("a ClusterRepository is asked where its Secrets are, and nothing is lent", async () => {
  const request = await sessionRequestOf(ports, clusterRepository(), signal);
  expect(request.ok && request.value).toMatchObject({
    owner: { kind: "ClusterRepository", name: "shared" },
    namespace: "platform",
    secrets: { password: { secret: "shared-creds" }, credentials: [{ secret: "shared-creds" }] },
  });
});

test("Secrets of two namespaces are in no session's reach, also where they could be lent to runs", async () => {
  const auth = { secretRef: { name: "keys", namespace: "vault" } };
  const backend = { s3: { bucket: "b", addressing: "Auto", auth } } as const;
  const request = await sessionRequestOf(lending, clusterRepository({ spec: { backend } }), signal);
  expect(request).toMatchObject({
    ok: false,
    error: {
      class: "structural",
      reason: "SecretsApart",
      message: expect.stringContaining("Put both Secrets into one namespace."),
    },
  });
});

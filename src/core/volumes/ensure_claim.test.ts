import { expect, test } from "vitest";
import { PersistentVolumeClaims } from "../../kube/builtin.ts";
import { MemoryObjects } from "../../kube/testing/memory_objects.ts";
import { type ClaimRequest, claimDraft, isMadeFor } from "./claim_request.ts";
import { ensureClaim } from "./ensure_claim.ts";

const request: ClaimRequest = { namespace: "billing", name: "restored", capacity: "10Gi", madeFor: "uid-7" };

test("claimDraft() says what was asked, and no owner that could take the data along", () => {
  const draft = claimDraft({ ...request, storageClassName: "fast", accessModes: ["ReadWriteMany"] });
  expect(draft).toEqual({
    metadata: { namespace: "billing", name: "restored", annotations: { "holdfast.dev/made-for": "uid-7" } },
    spec: {
      accessModes: ["ReadWriteMany"],
      resources: { requests: { storage: "10Gi" } },
      storageClassName: "fast",
    },
  });
  expect(claimDraft(request).spec).toEqual({
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage: "10Gi" } },
  });
});

test("ensureClaim() makes the claim, and finds it again after a crash", async () => {
  const client = new MemoryObjects();
  const made = await ensureClaim(client, request);
  expect(isMadeFor(made, "uid-7")).toBe(true);
  expect((await ensureClaim(client, request)).metadata.uid).toBe(made.metadata.uid);
});

test("ensureClaim() leaves a claim alone that somebody else made", async () => {
  const client = new MemoryObjects();
  await client.create(PersistentVolumeClaims, {
    metadata: { namespace: "billing", name: "restored" },
    spec: {},
  });
  await expect(ensureClaim(client, request)).rejects.toMatchObject({
    reason: "ClaimExists",
    message:
      "PersistentVolumeClaim billing/restored exists already and was not made for this: it is left as it is. Choose another name, or delete the claim if its data is not needed",
  });
  await expect(ensureClaim(client, { ...request, madeFor: "uid-8" })).rejects.toThrow(
    "was not made for this",
  );
});

test("ensureClaim() does not fill a claim that is going away", async () => {
  const client = new MemoryObjects();
  const made = await ensureClaim(client, request);
  const metadata = { ...made.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" };
  await client.update(PersistentVolumeClaims, { ...made, metadata });
  await expect(ensureClaim(client, request)).rejects.toThrow("and is being deleted");
});

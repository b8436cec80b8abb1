import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { DEMO_NAMESPACE as namespace } from "../../src/cli/demo/demo.ts";
import { SESSION_LABEL } from "../../src/core/work/session/session_request.ts";
import { ANNOTATIONS } from "../../src/kinds/kopiur/annotations.ts";
import { backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { repositoryResource } from "../../src/kinds/kopiur/generated/repository.ts";
import { Jobs } from "../../src/kube/builtin.ts";
import { testEngines } from "../../tools/images/test_engines.ts";
import { HoldfastHome } from "./holdfast_home.ts";

/* The catalogue in the program as people use it, with its webhooks between the operator and the API server. */

const PATIENCE = 120_000;

async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const end = performance.now() + PATIENCE;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > end) throw new Error(`waited in vain: ${what}`);
    await pause(100);
  }
}

test.runIf(process.getuid?.() === 0)(
  "a snapshot that its Backup left behind is found, and nothing of the search remains",
  { timeout: 300_000 },
  async () => {
    await using home = new HoldfastHome();
    const { output } = home.runProgram("tools/run/start.ts", [], {
      HOLDFAST_PROGRAMS: JSON.stringify(testEngines()),
    });
    await until("the demonstration", async () => output.find((line) => /are identical|✗/.test(line)));
    const { client } = await home.client();
    const backup = { namespace, name: "documents-first" };
    const keep = { type: "merge", patch: { spec: { deletionPolicy: "Retain" } } } as const;
    const { status } = await client.patch(backupResource, backup, keep);
    await client.delete(backupResource, backup);
    await until("the end of the Backup", async () => {
      const { items } = await client.list(backupResource, { namespace });
      return items.length === 0 || undefined;
    });

    const annotations = { [ANNOTATIONS.refreshCatalog]: "now" };
    const ask = { type: "merge", patch: { metadata: { annotations } } } as const;
    await client.patch(repositoryResource, { namespace, name: "repository" }, ask);
    const found = await until("the snapshot", async () => {
      const { items } = await client.list(backupResource, { namespace });
      return items.find((one) => one.status?.phase === "Discovered");
    });
    expect(found.status?.snapshot?.kopiaSnapshotID).toBe(status?.snapshot?.kopiaSnapshotID);
    expect(found.spec.deletionPolicy).toBe("Retain");
    await until("the end of the session", async () => {
      const { items } = await client.list(Jobs, { namespace, labelSelector: SESSION_LABEL });
      return items.length === 0 || undefined;
    });

    // Whoever deletes it deletes an object, and no more.
    await client.delete(backupResource, found.metadata);
    await until("the end of the found Backup", async () => {
      const { items } = await client.list(backupResource, { namespace });
      return items.length === 0 || undefined;
    });
  },
);

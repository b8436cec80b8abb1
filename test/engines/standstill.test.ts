import { rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  type EngineUnderTest,
  failureOf,
  Ground,
  listed,
  snapshotOf,
} from "../../src/engines/testing/ground.ts";
import { describeTree, treeDifferences } from "../../src/engines/testing/tree.ts";
import { S3Proxy } from "../scenarios/s3_proxy.ts";
import { kopia } from "./kopia_engine.ts";
import { restic } from "./restic_engine.ts";
import { startS3 } from "./servers.ts";

const STANDSTILL = 4_000;
const FILM = { random: { bytes: 40_000_000, seed: 7 } };

/** A storage that stops answering in the middle, and says nothing more. */
describe.concurrent.each<EngineUnderTest>([kopia, restic])("$name", (under) => {
  test("does not wait for ever for a storage that never answers again", { timeout: 240_000 }, async () => {
    await using ground = await Ground.make(under, { standstillMs: STANDSTILL });
    const server = await startS3(ground.folder);
    const { backend, credentials } = server.at("repository/");
    if (!("s3" in backend)) throw new Error("the S3 server is none");
    using proxy = await S3Proxy.to(backend.s3.endpoint ?? "", "127.0.0.1");
    const s3 = { ...backend.s3, endpoint: proxy.endpoint };
    try {
      const source = await ground.tree(
        "src",
        [0, 1, 2].map((n) => ({ path: `${n}`, file: FILM })),
      );
      const location = { backend: { s3 }, credentials, password: ground.password };
      const repository = ground.keep(await ground.engine.create(location));
      // On a busy machine it takes its time where nothing is wrong.
      const patient = ground.keep(await under.makeEngine({ folder: ground.path("patient") }).open(location));

      // With the first pack, however fast it comes.
      const hangSoon = () => {
        proxy.heaviest = 1_000_000;
      };
      const recover = () => {
        proxy.heaviest = Number.POSITIVE_INFINITY;
        proxy.manner = "well";
      };
      hangSoon();
      const backup = repository.snapshot(snapshotOf(source));
      const { class: errorClass, message, detail } = await failureOf(backup);
      expect(errorClass).toBe("Unreachable");
      expect(`${message} ${detail}`).toContain("let nothing pass for 4 s");
      recover();
      if (under.name === "restic") await patient.unlock({ all: true });
      expect(await listed(patient)).toEqual([]);
      const { snapshot } = await patient.snapshot(snapshotOf(source));
      expect(await listed(patient)).toMatchObject([{ id: snapshot.id }]);

      const target = ground.path("out");
      hangSoon();
      const restore = repository.restore({ snapshot: snapshot.id, target });
      expect(await failureOf(restore)).toMatchObject({ class: "Unreachable" });
      recover();
      await rm(target, { recursive: true, force: true });
      await patient.restore({ snapshot: snapshot.id, target });
      expect(treeDifferences(await describeTree(source), await describeTree(target))).toEqual([]);

      // restic says the same while it compares what is there, and while it waits for the first content.
      for (const name of ["0", "1", "2"]) await truncate(join(target, name), 1000);
      hangSoon();
      const again = repository.restore({ snapshot: snapshot.id, target, existing: "Overwrite" });
      expect(await failureOf(again)).toMatchObject({ class: "Unreachable" });

      // Of this it is not known how far it is: only that nothing is done any more.
      proxy.manner = "hung";
      const kept = under.name === "kopia" ? repository.maintain({ mode: "Full" }) : repository.check();
      const lost = await failureOf(kept);
      expect(lost.class).toBe("Unreachable");
      expect(`${lost.message} ${lost.detail}`).toContain("let nothing pass for 4 s");
    } finally {
      await server.stop();
    }
  });
});

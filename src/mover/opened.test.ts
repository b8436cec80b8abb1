import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { RepositorySpec } from "../wire/work.ts";
import type { EngineRoom } from "./engine_maker.ts";
import { openRepository } from "./opened.ts";
import { realLayout } from "./path_map.ts";
import { FakeEngine } from "./testing/fake_engine.ts";

const SIZES = {
  env: { GOMEMLIMIT: "123", GOMAXPROCS: "2" },
  cache: { contentBytes: 10, metadataBytes: 20 },
};

let pod: string;
beforeEach(() => {
  pod = mkdtempSync(join(tmpdir(), "holdfast-pod-"));
});
afterEach(() => rmSync(pod, { recursive: true }));

/** What its engine is made with, and what the repository is opened with. */
async function opened(more: Partial<RepositorySpec> = {}) {
  const spec = { backend: { filesystem: { path: "/repository" } }, ...more };
  const layout = realLayout((path) => join(pod, path.replaceAll("/", "-")));
  writeFileSync(layout.password, "secret");
  const engine = new FakeEngine("kopia");
  await engine.create({ backend: spec.backend, credentials: {}, password: "secret" });
  const rooms: EngineRoom[] = [];
  const makeEngine = async (_: string, room: EngineRoom) => {
    rooms.push(room);
    return engine;
  };
  const { signal } = new AbortController();
  const place = { layout, folder: pod, hasCache: false, signal };
  await openRepository(spec, { engine: "kopia", makeEngine, sizes: SIZES, ...place });
  return { room: rooms[0], options: engine.opened[0] };
}

test("an engine is as large as the pod lets it be", async () => {
  const { room, options } = await opened();
  expect(room?.env).toEqual(SIZES.env);
  expect(options?.cache).toEqual(SIZES.cache);
});

test("limits of its repository win over what there is room for", async () => {
  const limits = { upload: 1000 };
  const { options } = await opened({ cache: { contentBytes: 5 }, limits, readOnly: true, expectedId: "id" });
  expect(options).toMatchObject({
    cache: { contentBytes: 5, metadataBytes: 20 },
    limits,
    readOnly: true,
    expectedId: "id",
  });
});

import { expect, test } from "vitest";
import {
  COMPRESSORS,
  ENCRYPTIONS,
  HASHES,
  SPLITTERS,
} from "../../src/kinds/kopiur/definitions/engine_policy.ts";
import { repositorySchema } from "../../src/kinds/kopiur/generated/repository.ts";
import { fieldSchema } from "../../src/kube/schema/structural.ts";
import { CAPABILITIES, type Capabilities } from "../../src/wire/capabilities.ts";

const offered = (what: (capabilities: Capabilities) => readonly string[]) =>
  [...new Set(Object.values(CAPABILITIES).flatMap(what))].sort();

test("the native API offers what some engine can do, and nothing else", () => {
  expect([...COMPRESSORS].sort()).toEqual(offered(({ compression }) => compression));
  expect([...SPLITTERS].sort()).toEqual(offered(({ splitters }) => splitters));
  expect([...HASHES].sort()).toEqual(offered(({ hashes }) => hashes));
  expect([...ENCRYPTIONS].sort()).toEqual(offered(({ encryptions }) => encryptions));
});

test("the native API has every engine and every backend", () => {
  const spec = fieldSchema(repositorySchema, "spec");
  expect(fieldSchema(spec, "engine")?.enum).toEqual(Object.keys(CAPABILITIES));
  const backends = Object.keys(fieldSchema(spec, "backend")?.properties ?? {}).map((name) =>
    name.toLowerCase(),
  );
  expect(backends.sort()).toEqual(offered((capabilities) => capabilities.backends));
});

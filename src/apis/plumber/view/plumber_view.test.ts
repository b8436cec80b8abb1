import { expect, test } from "vitest";
import { sampleWorld } from "../testing/sample_world.ts";
import { plumberView } from "./plumber_view.ts";

const { claim } = sampleWorld();
const READY = { "pvc-plumber.io/source-state": "ready" };

function wrongWith(annotations: object, labels: object = {}): readonly string[] {
  const { metadata } = claim("data");
  const pvc = {
    ...claim("data"),
    metadata: { ...metadata, annotations: { ...annotations }, labels: { ...metadata.labels, ...labels } },
  };
  const [shown, ...others] = plumberView.read({ claims: [pvc], of: () => [] }, 0).protections();
  expect(others).toEqual([]);
  expect(shown).toMatchObject({ claim: "media/data", level: "not yet", by: [{ name: "data" }] });
  return shown?.wrong ?? [];
}

test.each([
  ["nothing, where the operator looks after it", READY, {}, []],
  ["no state", {}, {}, ["the operator writes nothing for it: its mode is audit"]],
  [
    "a shut fuse",
    READY,
    { "pvc-plumber.io/manage-volsync": "false" },
    ['no label pvc-plumber.io/manage-volsync: "true"'],
  ],
  ["a wrong value", { ...READY, "pvc-plumber.io/uid": "me" }, {}, ['pvc-plumber.io/uid is "me"']],
  [
    "the identity of another namespace",
    { ...READY, "pvc-plumber.io/backup-identity": "photos/data" },
    {},
    ["pvc-plumber.io/backup-identity is that of another namespace"],
  ],
])("coverage says of a labelled PVC: %s", (_, annotations, labels, wrong) => {
  expect(wrongWith(annotations, labels)).toEqual(wrong.map((text) => expect.stringContaining(text)));
});

test("a PVC that does not ask is none of this API's", () => {
  const { metadata, ...rest } = claim("data");
  const unlabelled = { ...rest, metadata: { ...metadata, labels: { backup: "daily" } } };
  expect(plumberView.read({ claims: [unlabelled], of: () => [] }, 0).protections()).toEqual([]);
});

import { expect, test } from "vitest";
import { ApiError } from "../../../kube/api_error.ts";
import { config } from "../testing/samples.ts";
import { makeDerivedConfigs } from "./make_derived_configs.ts";
import type { DerivedConfigIntent, NamespaceEntry } from "./namespace_state.ts";

const refusal = (code: number, reason: string) =>
  new ApiError({ request: "POST /backupconfigs", code, status: { reason, message: "no" } as never });

interface Names {
  readonly namespace?: string;
}

function recording(fail: (namespace: string) => unknown = () => undefined) {
  const written: unknown[] = [];
  const write = async (what: unknown, { namespace = "" }: Names) => {
    written.push(what);
    const error = fail(namespace);
    if (error) throw error;
    return config();
  };
  const client = {
    create: (_: unknown, { metadata }: { readonly metadata: Names }) => write(metadata.namespace, metadata),
    patch: (_: unknown, name: Names, change: object) => write([name, change], name),
  } as never;
  return { client, written };
}

const draft = (namespace: string) => ({ metadata: { namespace, name: "data-1" }, spec: config().spec });
const make = (namespace: string) => ({ type: "Make", draft: draft(namespace) }) as const;
const adapt = (namespace: string) => {
  const derived = config({
    metadata: { namespace },
    spec: { retention: { keepDaily: 7, maxShrinkPercent: 50 } },
  });
  return { type: "Adapt", derived, draft: draft(namespace) } as const;
};

const entry = (namespace: string, reason = "Deriving") => ({ namespace, reason });
const NAMESPACES: readonly NamespaceEntry[] = [entry("billing", "Ready"), entry("lab"), entry("shop")];
const all = (intents: readonly DerivedConfigIntent[]) => ({ intents, namespaces: NAMESPACES });
const refusesLab = (namespace: string) => (namespace === "lab" ? refusal(403, "Forbidden") : undefined);

test.each([
  ["made", make("lab"), "lab"],
  ["edited", adapt("lab"), [adapt("lab").derived.metadata, expect.anything()]],
])("one that may not be %s keeps no other from it, and is told of its namespace", async (_, intent, what) => {
  const { client, written } = recording(refusesLab);
  await expect(makeDerivedConfigs(client, all([intent, make("shop")]), {})).rejects.toMatchObject({
    class: "structural",
    reason: "RecipeRefused",
    message: expect.stringContaining("BackupConfig lab/data-1, to repeat this one, cannot be written: "),
    status: {
      phase: "Degraded",
      namespaces: [
        entry("billing", "Ready"),
        { namespace: "lab", reason: "RecipeRefused", message: "It is refused there: no" },
        entry("shop"),
      ],
    },
  });
  expect(written).toEqual([what, "shop"]);
});

test.each([
  ["Degraded", [entry("lab"), entry("shop")]],
  ["Failed", [entry("lab")]],
])("the BackupConfig is %s while %j are made, of which lab is refused", async (phase, namespaces) => {
  const told = { intents: [make("lab")], namespaces };
  await expect(makeDerivedConfigs(recording(refusesLab).client, told, {})).rejects.toMatchObject({
    status: { phase },
  });
});

test("a server that is busy in one namespace keeps no other waiting, and is asked again soon", async () => {
  const busy = refusal(500, "InternalError");
  const { client, written } = recording((namespace) => (namespace === "shop" ? busy : refusesLab(namespace)));
  await expect(makeDerivedConfigs(client, all([make("shop"), make("billing")]), {})).rejects.toBe(busy);
  expect(written).toEqual(["shop", "billing"]);
  // What was refused is told first, and only once.
  const both = [make("shop"), make("lab")];
  const soon = { reason: "RecipeRefused", class: "transient" };
  await expect(makeDerivedConfigs(client, all(both), {})).rejects.toMatchObject(soon);
  const told = { intents: both, namespaces: [entry("lab", "RecipeRefused"), entry("shop")] };
  await expect(makeDerivedConfigs(client, told, {})).rejects.toBe(busy);
});

test("one that is there already is left to the next look", async () => {
  const { client } = recording(() => refusal(409, "AlreadyExists"));
  await expect(makeDerivedConfigs(client, all([make("shop")]), {})).resolves.toBeUndefined();
});

test("what the BackupConfig no longer says is taken away, of the one that was seen alone", async () => {
  const { client, written } = recording();
  const intent = adapt("shop");
  await makeDerivedConfigs(client, all([intent]), {});
  expect(written).toEqual([
    [
      intent.derived.metadata,
      { type: "merge", patch: { metadata: { uid: "uid-data" }, spec: { retention: null } } },
    ],
  ]);
});

import fc from "fast-check";
import { Jobs, PersistentVolumeClaims, Secrets } from "../../../src/kube/builtin.ts";
import type { Resource } from "../../../src/kube/resource.ts";

/** What the calls are about. */
export const KINDS = ["widgets", "secrets", "claims", "jobs"] as const;

export type KindName = (typeof KINDS)[number];

type Fields = Readonly<Record<string, unknown>>;

/** One call, the same for both worlds: what differs between them (uids, versions) is filled in when it is made. */
export type Call = { readonly kind: KindName; readonly name: string } & (
  | { readonly verb: "create" | "get"; readonly body: Fields; readonly query: Fields }
  | {
      readonly verb: "replace";
      readonly version: "fresh" | "stale" | "none";
      readonly body: Fields;
      readonly query: Fields;
    }
  | { readonly verb: "json" | "merge" | "strategic"; readonly body: object; readonly query: Fields }
  | { readonly verb: "apply"; readonly body: Fields; readonly query: Fields }
  | {
      readonly verb: "status";
      readonly how: "merge" | "apply" | "replace";
      readonly body: Fields;
      readonly query: Fields;
    }
  | { readonly verb: "scale"; readonly replicas: number }
  | { readonly verb: "delete"; readonly options: Fields; readonly uid: "right" | "wrong" | "none" }
  | { readonly verb: "deletecollection"; readonly query: Fields }
  | { readonly verb: "list"; readonly query: Fields; readonly pages: boolean }
);

export function resourceOf(kind: KindName, widgets: Resource): Resource {
  return { widgets, secrets: Secrets, claims: PersistentVolumeClaims, jobs: Jobs }[kind];
}

/** The objects that calls are about. */
export const NAMES: readonly string[] = ["a", "b", "c"];

const name = fc.constantFrom(...NAMES);

/** Mostly nothing, now and then a value. */
const rarely = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

/** Mostly one of the good values, now and then a bad one. */
const mostly = (good: readonly unknown[], bad: readonly unknown[]) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...good) },
    { weight: 1, arbitrary: fc.constantFrom(...bad) },
  );

/** Some of the fields, each with one of its values. */
function some(fields: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<Fields> {
  return fc.record(fields, { requiredKeys: [] });
}

/** At least one of the fields: of a custom object the server keeps empty metadata, unseen, until the next write. */
function filled(fields: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<Fields> {
  return some(fields).filter((given) => Object.keys(given).length > 0);
}

const word = fc.constantFrom("x", "y", "z");
const bytes = fc.constantFrom("eA==", "eQ==");
const metadata = some({
  labels: filled({ a: word, b: word }),
  annotations: filled({ "example.com/a": word, "example.com/b": word }),
  finalizers: fc.constantFrom(["example.com/hold"], ["example.com/hold", "example.com/other"]),
});

const goodSpec = some({
  size: mostly([0, 1, 7, 100], [-1, 101, "big", null]),
  color: mostly(["red", "green"], ["pink"]),
  code: mostly(["abc", "d"], ["ABC", "abcdefghi"]),
  mode: fc.constantFrom("manual", null),
  replicas: fc.constantFrom(0, 3),
  port: mostly([80, "http"], [true]),
  note: fc.constantFrom("n", null),
  limits: fc.oneof(
    { weight: 8, arbitrary: fc.record({ cpu: fc.constantFrom(1, 2) }) },
    { weight: 1, arbitrary: some({ memory: fc.constantFrom(1, 2) }) },
  ),
  tags: fc.uniqueArray(word),
  list: fc.array(word, { maxLength: 3 }),
  parts: fc.uniqueArray(
    fc.record({ name: word, amount: fc.constantFrom(1, 2), kind: word }, { requiredKeys: ["name"] }),
    { selector: ({ name }) => name },
  ),
  whole: some({ a: word, b: word }),
  options: some({ a: word, b: word, c: word }),
  free: some({ a: word, deep: some({ b: word }) }),
});

/** Now and then with something that the schema does not know, or has twice. */
const widgetSpec = fc
  .tuple(
    goodSpec,
    rarely(fc.constantFrom({ odd: 1 }, { tags: ["x", "x"] }, { parts: [{ name: "x" }, { name: "x" }] })),
  )
  .map(([spec, bad]): Fields => ({ ...spec, ...bad }));

const claimSpec = fc.record({
  accessModes: mostly(
    [["ReadWriteOnce"], ["ReadWriteMany"]],
    [["ReadWriteOnce", "ReadOnlyMany"], [], ["Sometimes"]],
  ),
  storageClassName: fc.constant(""),
  resources: mostly(["1Gi", "1024Mi"], ["2G", "0", "-1"]).map((storage) => ({ requests: { storage } })),
});

/** Suspended, so that no pods come and go; what else the controller writes is not compared. */
const jobSpec = fc
  .tuple(
    some({
      parallelism: mostly([1, 2], [-1]),
      completions: fc.constantFrom(1, 2),
      backoffLimit: mostly([0, 3], [-1]),
      ttlSecondsAfterFinished: fc.constantFrom(5, 60),
      activeDeadlineSeconds: fc.constantFrom(5, 60),
    }),
    mostly(["none:1"], ["none:2", ""]),
    mostly(["Never"], ["OnFailure", "Always"]),
  )
  .map(([more, image, restartPolicy]) => ({
    suspend: true,
    ...more,
    template: { spec: { restartPolicy, containers: [{ name: "main", image }] } },
  }));

const bodies: Readonly<Record<KindName, fc.Arbitrary<Fields>>> = {
  widgets: fc.record({ metadata, spec: widgetSpec }, { requiredKeys: ["metadata"] }),
  secrets: fc.record(
    { metadata, data: some({ a: bytes, b: bytes, c: bytes }) },
    { requiredKeys: ["metadata"] },
  ),
  claims: fc.record({ metadata, spec: claimSpec }),
  jobs: fc.record({ metadata, spec: jobSpec }),
};

/** The same shapes with holes and nulls: for patches. */
const partial: Readonly<Record<KindName, fc.Arbitrary<Fields>>> = {
  widgets: some({ metadata, spec: widgetSpec }),
  secrets: some({ metadata, data: some({ a: fc.constantFrom("eA==", null), b: bytes }) }),
  claims: some({ metadata, spec: some({ accessModes: fc.constant(["ReadWriteMany"]) }) }),
  jobs: some({
    metadata,
    spec: some({ parallelism: fc.constantFrom(1, 3), backoffLimit: fc.constantFrom(1, 2) }),
  }),
};

const pointer: Readonly<Record<KindName, fc.Arbitrary<string>>> = {
  widgets: fc.constantFrom(
    "/spec/size",
    "/spec/list/0",
    "/spec/list/-",
    "/spec/options/a",
    "/metadata/labels/a",
  ),
  secrets: fc.constantFrom("/data/a", "/data", "/metadata/labels/a", "/metadata/annotations"),
  claims: fc.constantFrom("/metadata/labels/a", "/metadata/labels"),
  jobs: fc.constantFrom("/metadata/labels/a", "/spec/parallelism"),
};

const jsonPatchOf = (kind: KindName) =>
  fc.array(
    fc.oneof(
      fc.record({
        op: fc.constantFrom("add", "replace", "test"),
        path: pointer[kind],
        value: fc.constantFrom<unknown>("x", 1, { a: "x" }),
      }),
      fc.record({ op: fc.constant("remove"), path: pointer[kind] }),
      fc.record({ op: fc.constantFrom("move", "copy"), from: pointer[kind], path: pointer[kind] }),
    ),
    { minLength: 1, maxLength: 3 },
  );

const query = fc
  .record({
    dryRun: rarely(fc.constant("All")),
    fieldValidation: rarely(fc.constantFrom("Strict", "Ignore", "Warn")),
    fieldManager: rarely(fc.constantFrom("alice", "bob")),
  })
  .map(given);

function given(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

const selector = fc.constantFrom("a=x", "a!=x", "a", "!b", "a in (x,y),b", "a=x,b=y", "a in x", "a==z");

function callsOn(kind: KindName): fc.Arbitrary<Call> {
  const on = { kind: fc.constant(kind), name };
  const body = bodies[kind];
  const write = <V extends string>(verb: V, of: fc.Arbitrary<unknown>) =>
    fc.record({ ...on, verb: fc.constant(verb), body: of, query });
  const applied = fc
    .record({
      fieldManager: fc.constantFrom("alice", "bob"),
      force: rarely(fc.constant(true)),
      dryRun: rarely(fc.constant("All")),
    })
    .map(given);
  // On a real cluster the garbage collector may learn of a new custom kind only after half a minute; and of a claim
  // two controllers let go, in any order.
  const collected = kind === "secrets" || kind === "jobs";
  const policies = collected ? ["Background", "Foreground", "Orphan"] : ["Background"];
  const options = fc
    .record({
      propagationPolicy: rarely(fc.constantFrom(...policies, "Sideways")),
      dryRun: rarely(fc.constant(["All"])),
    })
    .map(given);
  const weighted: { weight: number; arbitrary: fc.Arbitrary<unknown> }[] = [
    { weight: 5, arbitrary: write("create", body) },
    { weight: 1, arbitrary: write("get", fc.constant({})) },
    {
      weight: 3,
      arbitrary: fc.record({
        ...on,
        verb: fc.constant("replace"),
        version: fc.constantFrom("fresh", "fresh", "stale", "none"),
        body,
        query,
      }),
    },
    { weight: 3, arbitrary: write("json", jsonPatchOf(kind)) },
    { weight: 3, arbitrary: write("merge", partial[kind]) },
    { weight: 2, arbitrary: write("strategic", partial[kind]) },
    { weight: 5, arbitrary: fc.record({ ...on, verb: fc.constant("apply"), body, query: applied }) },
    {
      weight: 2,
      arbitrary: fc.record({
        ...on,
        verb: fc.constant("delete"),
        options,
        uid: fc.constantFrom("none", "none", "none", "right", "wrong"),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        ...on,
        verb: fc.constant("deletecollection"),
        query: fc.record({ labelSelector: selector }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        ...on,
        verb: fc.constant("list"),
        query: fc
          .record({ labelSelector: rarely(selector), limit: rarely(fc.constantFrom(1, 2)) })
          .map(given),
        pages: fc.boolean(),
      }),
    },
  ];
  if (kind === "widgets") {
    const status = some({
      phase: word,
      replicas: fc.constantFrom(1, 2),
      seen: fc.constantFrom<unknown>(1, "x"),
    });
    weighted.push({
      weight: 3,
      arbitrary: fc.record({
        ...on,
        verb: fc.constant("status"),
        how: fc.constantFrom("merge", "apply", "replace"),
        body: fc.record({ status, metadata: some({ labels: some({ a: word }) }) }),
        query: applied,
      }),
    });
    weighted.push({
      weight: 1,
      arbitrary: fc.record({ ...on, verb: fc.constant("scale"), replicas: fc.constantFrom(2, 5) }),
    });
  }
  return fc.oneof(...weighted) as fc.Arbitrary<Call>;
}

/** Calls on one kind, in order. */
export const sequences: fc.Arbitrary<readonly Call[]> = fc
  .constantFrom<KindName>("widgets", "widgets", "widgets", "secrets", "claims", "jobs")
  .chain((kind) => fc.array(callsOn(kind), { minLength: 1, maxLength: 14, size: "max" }));

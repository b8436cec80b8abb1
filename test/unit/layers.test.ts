import { existsSync, globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { describe, expect, test } from "vitest";
import { importsOf } from "../../tools/lint/imports.ts";

const EVERYTHING = "everything";

/** What of `src/` a room may import, beside itself: rooms, or parts of one. */
const ROOMS: Readonly<Record<string, readonly string[] | typeof EVERYTHING>> = {
  main: EVERYTHING,
  cli: ["kinds", "core", "kube", "wire", "observe", "lib"],
  apis: ["kinds", "core", "kube", "wire", "observe", "lib"],
  kinds: ["kube/schema", "kube/object.ts", "kube/resource.ts", "lib"],
  core: ["kube", "wire", "observe", "lib"],
  mover: ["engines", "wire", "observe", "lib"],
  engines: ["wire", "lib"],
  wire: ["lib"],
  embedded: ["kube", "observe", "lib"],
  kube: ["observe", "lib"],
  observe: ["lib"],
  lib: [],
};

/** Rooms whose folders may not import each other. */
const SEPARATE = ["apis"];

/**
 * What a folder of a room may import of the same room, beside itself: other folders, and the room's own files where the
 * table says `""`. Every folder stands after those that it may import, so that there are no cycles, through types neither.
 */
const FOLDERS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  core: {
    policy: [],
    work: [],
    volumes: ["policy", "work"],
    workloads: ["policy", "work", "volumes"],
    reconcile: ["work", "volumes", "workloads"],
    consent: ["policy", "work", "reconcile"],
    repository: ["policy", "work", "workloads", "reconcile", "consent"],
    catalog: ["policy", "work", "reconcile", "consent", "repository"],
    rules: ["policy", "reconcile", "repository"],
    admission: ["work", "volumes", "reconcile", "consent", "repository"],
    backup: ["policy", "work", "volumes", "workloads", "reconcile", "repository", "catalog"],
    restore: ["policy", "work", "volumes", "workloads", "reconcile", "repository", "catalog"],
    schedule: ["policy", "volumes", "reconcile"],
    retention: ["policy", "reconcile", "catalog", "schedule"],
    maintenance: ["policy", "work", "reconcile", "repository"],
    view: ["volumes", "reconcile"],
  },
  kube: {
    "": [],
    schema: [""],
    certificates: [""],
    client: [""],
    config: ["", "client"],
    cache: [""],
    controller: ["", "client", "cache"],
    write: [""],
    admission: ["", "client", "certificates"],
    adoption: ["", "schema"],
  },
};

/** Where a package may be imported, as the beginning of a path in `src/`; `main/` may import all of these. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  pino: ["observe/"],
  "prom-client": ["observe/"],
  ws: ["lib/"],
  yaml: ["kube/", "cli/", "embedded/"],
  zod: ["kinds/", "kube/schema/"],
  "@marcbachmann/cel-js": ["embedded/", "kube/schema/"],
  "kubernetes-types": ["kube/", "core/", "apis/", "embedded/"],
  croner: ["core/policy/"],
  hono: ["cli/console/"],
  "node:http": ["lib/"],
  "node:https": ["lib/"],
  "node:http2": ["lib/"],
  "node:net": ["lib/"],
  "node:tls": ["lib/"],
  "node:dgram": ["lib/"],
  "node:dns": ["lib/"],
  "node:child_process": ["lib/"],
  "node:worker_threads": ["lib/"],
  "node:cluster": [],
  "node:timers": ["lib/"],
  "node:perf_hooks": ["lib/", "observe/"],
  "node:sqlite": ["embedded/"],
};

/** Packages for tests only; tests may also import any of the above. */
const TEST_PACKAGES = ["vitest", "fast-check"];

/** What is wrong with the imports of a file, whose path is given from `src/`. */
function violationsIn(file: string, source: string): readonly string[] {
  return importsOf(source).flatMap(({ specifier }) => {
    const why = specifier.startsWith(".") ? wrongFile(file, specifier) : wrongPackage(file, specifier);
    return why === undefined ? [] : [`src/${file} imports ${specifier}: ${why}`];
  });
}

function wrongFile(file: string, specifier: string): string | undefined {
  const target = resolve(file, specifier);
  const room = roomOf(file);
  const allowed = ROOMS[room];
  if (isTest(target) && !isTest(file)) return "it is for tests";
  if (allowed === undefined) return `there is no room ${room}/ in the table`;
  if (target.startsWith("../")) {
    const fine = allowed === EVERYTHING || (isTest(file) && target.startsWith("../test/"));
    return fine ? undefined : "it is outside of src/";
  }
  if (roomOf(target) === room) {
    const apart = SEPARATE.includes(room) && folderOf(file) !== folderOf(target);
    return apart ? `the folders of ${room}/ do not know each other` : wrongFolder(file, target);
  }
  if (allowed === EVERYTHING || allowed.some((place) => `${target}/`.startsWith(`${place}/`)))
    return undefined;
  return `${room}/ may import ${allowed.join(", ") || "no other room"}`;
}

function wrongFolder(file: string, target: string): string | undefined {
  const folders = FOLDERS[roomOf(file)];
  const [from, to] = [partOf(file), partOf(target)];
  // What tests share may stand on anything; the files of a room without a row wire its folders.
  if (!folders || from === to || isTest(file) || (from === "" && !("" in folders))) return undefined;
  const allowed = folders[from];
  if (allowed === undefined) return `the table has no folder ${roomOf(file)}/${from}`;
  if (allowed.includes(to)) return undefined;
  return `${roomOf(file)}/${from} may import of its room ${allowed.map((one) => one || "its own files").join(", ") || "nothing"}`;
}

function wrongPackage(file: string, specifier: string): string | undefined {
  const name = packageOf(specifier);
  if (isTest(file) && (TEST_PACKAGES.includes(name) || name in PACKAGES)) return undefined;
  const places = PACKAGES[name];
  if (places === undefined) {
    return name.startsWith("node:") ? undefined : "the table does not say where this package may be imported";
  }
  if (roomOf(file) === "main" || places.some((place) => file.startsWith(place))) return undefined;
  return `${name} is for ${["main/", ...places].join(", ")}`;
}

/** The packages that are loaded with these programs, each with the file that imports it. */
function packagesLoaded(programs: readonly string[], read: (file: string) => string): Map<string, string> {
  const loaded = new Map<string, string>();
  const seen = new Set(programs);
  for (const file of seen) {
    for (const { specifier, typeOnly } of importsOf(read(file))) {
      if (typeOnly) continue;
      if (!specifier.startsWith(".")) loaded.set(packageOf(specifier), file);
      else if (specifier.endsWith(".ts")) seen.add(resolve(file, specifier));
    }
  }
  return loaded;
}

/** Also what tests share: stand-ins and suites, in folders named `testing`. */
const isTest = (file: string) => file.endsWith(".test.ts") || file.includes("/testing/");
const roomOf = (file: string) => file.split("/")[0] ?? "";
const folderOf = (file: string) => file.split("/").slice(0, 2).join("/");
/** The folder of a room; empty for the room's own files. */
const partOf = (file: string) => (file.split("/").length > 2 ? (file.split("/")[1] ?? "") : "");
const resolve = (file: string, specifier: string) => posix.join(posix.dirname(file), specifier);
const packageOf = (specifier: string) =>
  specifier.startsWith("node:")
    ? (specifier.split("/")[0] ?? "")
    : specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");

const root = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, "src", file), "utf8");
const files = globSync("**/*.ts", { cwd: join(root, "src") }).map((file) => file.replaceAll("\\", "/"));

describe("the imports in src/", () => {
  test("are read, from more than zero files", () => {
    expect(files.length).toBeGreaterThan(0);
    expect(files.flatMap((file) => importsOf(read(file))).length).toBeGreaterThan(0);
  });

  test("are all allowed", () => {
    expect(files.flatMap((file) => violationsIn(file, read(file)))).toEqual([]);
  });

  test("lead to files that exist", () => {
    const missing = files.flatMap((file) =>
      importsOf(read(file))
        .filter(({ specifier }) => specifier.startsWith("."))
        .map(({ specifier }) => resolve(file, specifier))
        .filter((target) => !existsSync(join(root, "src", target))),
    );
    expect(missing).toEqual([]);
  });

  test("load with the programs nothing that is not shipped, zod least of all", () => {
    const programs = files.filter((file) => roomOf(file) === "main" && !isTest(file));
    const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const unshipped = [...packagesLoaded(programs, read)].filter(
      ([name]) => name === "zod" || !(name.startsWith("node:") || name in dependencies),
    );
    expect(unshipped).toEqual([]);
  });
});

describe("the folders of a room", () => {
  test.each(Object.entries(FOLDERS))(
    "of %s/ are all in the table, each after those that it may import",
    (room, folders) => {
      const there = new Set(files.filter((file) => roomOf(file) === room && !isTest(file)).map(partOf));
      const names = Object.keys(folders);
      expect(names.toSorted()).toEqual([...there].filter((name) => name !== "" || "" in folders).toSorted());
      for (const [name, allowed] of Object.entries(folders)) {
        const later = allowed.filter((other) => names.indexOf(other) >= names.indexOf(name));
        expect([name, later]).toEqual([name, []]);
      }
    },
  );
});

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
}

interface Crd {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: Schema } }[];
  };
}

/** The CRDs of every API. */
const crds = globSync("src/kinds/*/generated/crds.json", { cwd: root }).flatMap(
  (file) => JSON.parse(readFileSync(join(root, file), "utf8")) as readonly Crd[],
);

/** The fields below a schema, each with the one that holds it: `target.pvcRef`. */
function fieldsBelow(
  { properties = {}, items, additionalProperties }: Schema,
  holder: string,
): readonly string[] {
  const inner = [items, additionalProperties].filter((one) => typeof one === "object");
  return [
    ...Object.entries(properties).flatMap(([name, field]) => [
      `${holder}.${name}`,
      ...fieldsBelow(field, name),
    ]),
    ...inner.flatMap((one) => fieldsBelow(one, holder)),
  ];
}

const fieldPaths = new Set(
  crds
    .flatMap(({ spec }) => spec.versions)
    .flatMap(({ schema }) => Object.entries(schema.openAPIV3Schema.properties ?? {}))
    .flatMap(([name, field]) => fieldsBelow(field, name)),
);
/** Names of fields that no sentence has by chance. */
const fieldNames = new Set(
  [...fieldPaths].flatMap((path) => path.split(".")[1] ?? []).filter((name) => /^[a-z]+[A-Z]/.test(name)),
);

/** A Job is one of Kubernetes' own before it is one of an API. */
const kindNames = [...new Set(crds.map(({ spec }) => spec.names.kind))]
  .filter((kind) => kind !== "Job")
  .join("|");
const groups = [...new Set(crds.map(({ spec }) => spec.group))].join("|");

/** What users of one API read, and those of the others must not: its kinds, but for words that begin a sentence, and its group. */
const OF_ONE_API = new RegExp(
  `(?<=[a-z,;…] )(${kindNames})s?\\b|\\b(${kindNames}) …|\\b(spec|status)\\.[a-z]|${groups}`,
);

/** Texts of Kubernetes' own objects, and of paths within a Job. */
const OF_KUBERNETES =
  /spec\.(template|dataSourceRef|replicas)|PersistentVolume|nodeSelector|valueFrom\.secretKeyRef/;

/** The fields of an API that a text names: by their path, or in a sentence by a name that is no word. */
function fieldsIn(text: string): readonly string[] {
  const paths = [...text.matchAll(/\b(?=([a-z]\w*\.[a-z]\w*))/g)].flatMap(([, path = ""]) =>
    fieldPaths.has(path) ? [path] : [],
  );
  if (!text.includes(" ")) return paths;
  const words = [...text.matchAll(/(?<![\w.$/{])[a-z]+[A-Z]\w*/g)].map(([word]) => word);
  return [...paths, ...words.filter((word) => fieldNames.has(word))];
}

/** Texts of core that name fields all the same, and why they may. */
const NAMED: Readonly<Record<string, { readonly fields: readonly string[]; readonly why: string }>> = {
  "core/repository/decide_repository.ts": {
    fields: ["create.enabled"],
    why: "only the native API lets a repository not be created; the others always allow it and never come to this text",
  },
  "core/repository/read_only.ts": {
    fields: ["access.readOnly"],
    why: "only the native API has repositories that are only read",
  },
  "core/repository/repository_limits.ts": {
    fields: [
      "auth.workloadIdentity",
      "auth.secretRef",
      "backend.s3",
      "s3.addressing",
      "backend.azure",
      "azure.endpoint",
      "tls.insecureSkipVerify",
      "tls.caBundleRef",
    ],
    why: "the native API alone asks for these limits: its spec has the shape of the core's RepositorySpec",
  },
  "core/rules/engine_limits.ts": {
    fields: [
      "compression.compressor",
      "compression.neverCompress",
      "neverCompress",
      "ignore.files",
      "ignore.paths",
    ],
    why: "what stands before them is handed in by the API, whose policy has the shape of the core's own",
  },
  "core/volumes/staging/take_group.ts": {
    fields: ["groupBy"],
    why: "every API that captures groups has this field",
  },
  "core/volumes/staging/decide_group.ts": {
    fields: ["groupBy"],
    why: "every API that captures groups has this field",
  },
  "core/admission/trial_jobs.ts": {
    fields: ["runJob.jobSpec"],
    why: "what stands before it is handed in by the API",
  },
};

describe("the strings in core/ and wire/", () => {
  const texts = files
    .filter((file) => ["core", "wire"].includes(roomOf(file)) && !isTest(file))
    .flatMap((file) => textsIn(read(file)).map((text) => ({ file, text })));

  test("are read", () => {
    expect(texts.length).toBeGreaterThan(500);
  });

  test("name no kind and no field of an API", () => {
    expect(texts.filter(({ text }) => OF_ONE_API.test(text) && !OF_KUBERNETES.test(text))).toEqual([]);
    const naming = texts.flatMap(({ file, text }) =>
      (OF_KUBERNETES.test(text) ? [] : fieldsIn(text))
        .filter((field) => !NAMED[file]?.fields.includes(field))
        .map((field) => ({ file, field, text })),
    );
    expect(naming).toEqual([]);
  });

  test("name a field of an API only where it is said why, and each of these", () => {
    for (const [file, { fields }] of Object.entries(NAMED)) {
      const named = texts.filter((one) => one.file === file).flatMap(({ text }) => fieldsIn(text));
      expect([file, fields.filter((field) => !named.includes(field))]).toEqual([file, []]);
    }
  });

  test.each([
    ["Set target.pvcRef.scaleDownWorkloads to have it done", ["target.pvcRef", "pvcRef.scaleDownWorkloads"]],
    ["Set create.enabled to true", ["create.enabled"]],
    ["raise activeDeadlineSeconds, or wait", ["activeDeadlineSeconds"]],
    ["a ResticRepository's repository.password", []],
    ["blob.core.windows.net", []],
  ])("of %j name %j", (text, fields) => {
    expect(fieldsIn(text)).toEqual(expect.arrayContaining(fields));
    expect(fieldsIn(text).length > 0).toBe(fields.length > 0);
  });
});

/** The strings and templates of a source, without comments, imports and what is put into templates. */
function textsIn(source: string): readonly string[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|^(import|export) [^;]* from "[^"]*";$/gm, "");
  const found = code.match(/"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g) ?? [];
  return found.map((text) => text.replaceAll(/\$\{[^}]*\}/g, "…"));
}

describe("the rules about imports", () => {
  test.each([
    ["lib/a.ts", 'import { b } from "../kube/b.ts";', "lib/ may import no other room"],
    ["kube/a.ts", 'import type { B } from "../core/b.ts";', "kube/ may import observe, lib"],
    ["kube/x/a.ts", 'export * from "../../apis/velero/b.ts";', "kube/ may import observe, lib"],
    [
      "core/work/a.ts",
      'await import("../../engines/kopia.ts");',
      "core/ may import kube, wire, observe, lib",
    ],
    ["mover/a.ts", 'type B = import("../kube/b.ts").B;', "mover/ may import engines, wire, observe, lib"],
    ["kube/a.test.ts", 'import "../core/b.ts";', "kube/ may import observe, lib"],
    ["apis/velero/a.ts", 'import "../kopiur/b.ts";', "the folders of apis/ do not know each other"],
    ["kube/a.ts", 'import "../../test/b.ts";', "it is outside of src/"],
    ["kube/a.test.ts", 'import "../../tools/b.ts";', "it is outside of src/"],
    ["shed/a.ts", 'import "../lib/b.ts";', "there is no room shed/ in the table"],
    ["kube/a.ts", 'import "./testing/b.ts";', "it is for tests"],
    ["kube/a.ts", 'import "zod";', "zod is for main/, kinds/, kube/schema/"],
    ["kube/a.ts", 'import "zod/mini";', "zod is for main/, kinds/, kube/schema/"],
    ["kube/a.ts", 'import "pino";', "pino is for main/, observe/"],
    ["kube/a.ts", 'import "node:https";', "node:https is for main/, lib/"],
    ["core/a.ts", 'import "node:timers/promises";', "node:timers is for main/, lib/"],
    ["core/a.ts", 'import "@scope/new/deep";', "the table does not say where this package may be imported"],
    ["core/a.ts", 'import "vitest";', "the table does not say where this package may be imported"],
  ])("refuse in %s: %s", (file, source, why) => {
    expect(violationsIn(file, source).map((line) => line.slice(line.indexOf(": ") + 2))).toEqual([why]);
  });

  test.each([
    ["main/operator.ts", 'import "../apis/velero/a.ts"; import "../../package.json"; import "pino";'],
    ["kube/a.ts", 'import "../lib/b.ts"; import "./object.ts"; import "node:fs/promises"; import "yaml";'],
    ["apis/velero/a.ts", 'import "./b.ts"; import "../../core/c.ts"; import "../../kinds/velero/d.ts";'],
    ["kube/a.test.ts", 'import "vitest"; import "zod"; import "node:https"; import "../../test/b.ts";'],
    ["kube/schema/a.ts", 'import { z } from "zod";'],
  ])("allow in %s: %s", (file, source) => {
    expect(violationsIn(file, source)).toEqual([]);
  });

  test("follow what a program loads through files, but not through types", () => {
    const tree: Readonly<Record<string, string>> = {
      "main/operator.ts": 'import "../kube/a.ts"; import type { B } from "../kinds/b.ts";',
      "kube/a.ts": 'export const load = () => import("./c.ts");',
      "kube/c.ts": 'import { z } from "zod"; import "./a.ts";',
      "kinds/b.ts": 'import "yaml";',
    };
    expect([...packagesLoaded(["main/operator.ts"], (file) => tree[file] ?? "")]).toEqual([
      ["zod", "kube/c.ts"],
    ]);
  });
});

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { storedOf } from "../../../src/apis/kopiur/admission/testing/memory_door.ts";
import { repositorySchema } from "../../../src/kinds/kopiur/generated/repository.ts";
import { admit } from "../../../src/kube/schema/admit.ts";
import { unreachable } from "../../../src/lib/result.ts";
import { CAPABILITIES, type EngineName } from "../../../src/wire/capabilities.ts";

/*
 * The specification begins with 21 gaps of the tools before it. Each has a test here that bears its number; the rules
 * behind it are tested, row by row, beside the code.
 */

const folder = import.meta.dirname;
const root = join(folder, "../../..");

test("every gap from G1 to G21 has its tests, once", () => {
  const files = readdirSync(folder).filter((name) => /^gaps.*\.test\.ts$/.test(name));
  const found = files.flatMap((name) =>
    [...readFileSync(join(folder, name), "utf8").matchAll(/^describe\("(G\d+): /gm)].map(([, gap]) => gap),
  );
  const wanted = Array.from({ length: 21 }, (_, index) => `G${index + 1}`);
  expect(found.toSorted()).toEqual(wanted.toSorted());
});

/** The sources below a room, without their comments, and without tests. */
function codeOf(room: string): readonly (readonly [file: string, code: string])[] {
  return readdirSync(join(root, "src", room), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.includes("testing"))
    .map((file) => {
      const text = readFileSync(join(root, "src", room, file), "utf8");
      return [file, text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "")] as const;
    });
}

describe("G19: the door is open to every engine", () => {
  const ENGINES = Object.keys(CAPABILITIES) as EngineName[];
  const spec = {
    backend: { filesystem: { pvc: { name: "store" } } },
    encryption: { passwordSecretRef: { name: "creds" } },
  };

  test("a repository of any engine that there is comes in by the same fields", () => {
    expect(ENGINES.length).toBeGreaterThan(1);
    const stored = ENGINES.map((engine) => {
      const object = storedOf({ kind: "Repository", namespace: "a", name: "nas", spec: { ...spec, engine } });
      return (object as unknown as { readonly spec: object }).spec;
    });
    expect(stored.map((one) => ({ ...one, engine: "any" }))).toEqual(
      ENGINES.map(() => ({ ...stored[0], engine: "any" })),
    );
    const unknown = admit(repositorySchema, { metadata: { name: "nas" }, spec: { ...spec, engine: "tar" } });
    expect(unknown.problems).toMatchObject([{ field: "spec.engine" }]);
  });

  test("what is true of any backup names no engine", () => {
    const code = codeOf("core");
    expect(code.length).toBeGreaterThan(100);
    const names = new RegExp(ENGINES.join("|"), "i");
    expect(code.filter(([, text]) => names.test(text)).map(([file]) => file)).toEqual([]);
  });
});

describe("G21: a case that nobody thought of does not compile", () => {
  function word(policy: "Delete" | "Retain"): string {
    switch (policy) {
      case "Delete":
        return "goes";
      default:
        // @ts-expect-error Retain is missing; were that allowed, this line would be an error itself.
        return unreachable(policy);
    }
  }

  test("a match that lacks a case is an error of the compiler, and never goes on in silence", () => {
    expect(word("Delete")).toBe("goes");
    expect(() => word("Retain")).toThrow("unexpected value");
  });

  test("no match swallows what it does not know: it lists all cases, or ends unreachable", () => {
    const code = [...codeOf("core"), ...codeOf("apis")];
    const defaults = code.flatMap(([file, text]) =>
      [...text.matchAll(/^\s*default:\s*(\S+ \w+)/gm)].map(([, then]) => `${file}: ${then}`),
    );
    expect(defaults.length).toBeGreaterThan(5);
    expect(defaults.filter((one) => !one.endsWith(": return unreachable"))).toEqual([]);
  });

  test("the compiler is told to be strict", () => {
    const { compilerOptions } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8"));
    expect(compilerOptions).toMatchObject({
      strict: true,
      noImplicitReturns: true,
      noFallthroughCasesInSwitch: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
    });
  });
});

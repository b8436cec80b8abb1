import { execFileSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { EngineName } from "../../src/wire/capabilities.ts";
import { cacheFolder } from "../../tools/cluster/folders.ts";
import { pinnedProgram } from "../../tools/cluster/programs.ts";
import { buildImage } from "../../tools/images/images.ts";
import { INSTEAD, type Keys, testEngine } from "../../tools/images/test_engines.ts";
import { commands, forTestsAlone } from "../../tools/launch/commands.mjs";
import { SHIPPED_MOVER } from "../scenarios/world.ts";

/* Engines whose keys cost nothing: what they are good for, and that they are nowhere but in tests. */

const home = mkdtempSync(join(tmpdir(), "cheap-keys-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

function run(engine: EngineName, keys: Keys, ...args: readonly string[]): string {
  const env = {
    HOME: home,
    KOPIA_CHECK_FOR_UPDATES: "false",
    KOPIA_PASSWORD: "secret",
    RESTIC_PASSWORD: "secret",
    RESTIC_REPOSITORY: folderOf(engine),
  };
  const config = engine === "kopia" ? [`--config-file=${join(home, `${keys}.config`)}`] : ["--no-cache"];
  return execFileSync(testEngine(engine, keys), [...config, ...args], {
    env,
    encoding: "utf8",
    stdio: "pipe",
  });
}

function folderOf(engine: EngineName): string {
  return join(home, engine);
}

function emptied(engine: EngineName): string {
  rmSync(folderOf(engine), { recursive: true, force: true });
  mkdirSync(folderOf(engine));
  return folderOf(engine);
}

/** What restic's only key was derived with. */
function costOfKey(): unknown {
  const [key = ""] = readdirSync(join(folderOf("restic"), "keys"));
  return (JSON.parse(readFileSync(join(folderOf("restic"), "keys", key), "utf8")) as { readonly N: unknown })
    .N;
}

/** What derives kopia's key. */
function derivation(): unknown {
  const format = readFileSync(join(folderOf("kopia"), "kopia.repository.f"), "utf8");
  return (JSON.parse(format) as { readonly keyAlgo: unknown }).keyAlgo;
}

describe("what cheap keys protect", () => {
  const file = join(home, "file");
  writeFileSync(file, "text");

  test("the restic that is shipped opens and continues, and the other way round", () => {
    emptied("restic");
    run("restic", "cheap", "init");
    expect(costOfKey()).toBe(2);
    run("restic", "cheap", "backup", file);
    run("restic", "shipped", "backup", file);
    expect(JSON.parse(run("restic", "shipped", "snapshots", "--json"))).toHaveLength(2);
    emptied("restic");
    run("restic", "shipped", "init");
    // As much as the machine takes half a second for, which may have much else to do.
    expect(costOfKey()).toBeGreaterThan(2);
    expect(JSON.parse(run("restic", "cheap", "snapshots", "--json"))).toEqual([]);
  });

  test("the kopia that is shipped refuses, so that nobody keeps data behind such keys", () => {
    const path = emptied("kopia");
    run("kopia", "cheap", "repository", "create", "filesystem", `--path=${path}`);
    expect(derivation()).toBe("testing-only-insecure");
    expect(() => run("kopia", "shipped", "repository", "connect", "filesystem", `--path=${path}`)).toThrow(
      "unsupported key derivation algorithm: testing-only-insecure",
    );
  });

  test("kopia with cheap keys opens what the one that is shipped made", () => {
    const path = emptied("kopia");
    run("kopia", "shipped", "repository", "create", "filesystem", `--path=${path}`);
    expect(derivation()).toBe("scrypt-65536-8-1");
    run("kopia", "cheap", "repository", "connect", "filesystem", `--path=${path}`);
    run("kopia", "cheap", "snapshot", "create", home);
  });
});

/** What only the builds with cheap keys hold: kopia's name for such keys, and the module in scrypt's place. */
const MARKS = ["testing-only-insecure", "simple-scrypt\tv1.4.1\n=>\t./scrypt"] as const;

function hasCheapKeys(path: string): boolean {
  const content = readFileSync(path);
  return MARKS.some((mark) => content.includes(mark));
}

describe("builds with cheap keys", () => {
  test("are known by what they hold", () => {
    for (const engine of ["kopia", "restic"] as const) {
      expect(hasCheapKeys(testEngine(engine, "cheap"))).toBe(true);
      expect(hasCheapKeys(testEngine(engine, "shipped"))).toBe(false);
    }
  });

  test("are not in the image that is shipped: its engines are the pinned ones, byte for byte", async () => {
    const folder = join(home, "image");
    mkdirSync(folder);
    await buildImage("mover", join(folder, "image.tar"), {
      instead: INSTEAD.shipped,
      tag: SHIPPED_MOVER,
    });
    for (const archive of ["image.tar", "layer.tar"])
      execFileSync("tar", ["--extract", "--file", archive], { cwd: folder });
    const [manifest] = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
    expect(manifest.RepoTags).toEqual([SHIPPED_MOVER]);
    for (const engine of ["kopia", "restic"] as const) {
      const inImage = join(folder, "usr/local/bin", engine);
      expect(readFileSync(inImage).equals(readFileSync(pinnedProgram(engine)))).toBe(true);
      expect(hasCheapKeys(inImage)).toBe(false);
    }
  });

  test("are not among what the launcher keeps for other commands than tests", () => {
    const programs = Object.entries(commands)
      .filter(([name]) => !/^(test|provide)/.test(name))
      .flatMap(([, { needs }]) => needs?.(["up"]).programs ?? []);
    expect(programs.filter((name) => forTestsAlone.includes(name))).toEqual([]);
    const folder = join(cacheFolder(process.env), "programs");
    const kept = [...new Set(programs)].flatMap((name) => globSync(join(folder, name, "*", "*")));
    expect(kept.length).toBeGreaterThan(1);
    expect(kept.filter(hasCheapKeys)).toEqual([]);
  });
});

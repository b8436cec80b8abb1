import { ENGINE_PROGRAMS } from "../../src/mover/engine_maker.ts";
import { pinnedProgram } from "../cluster/programs.ts";

/**
 * What deriving a key from a password costs. `shipped`: as much as kopia and restic want it to, a quarter of a second to
 * seconds each time. `cheap`: nothing, with builds of both that are for tests alone. Either restic opens what the other
 * made; kopia as shipped refuses a repository with cheap keys.
 */
export type Keys = "cheap" | "shipped";

export type EngineProgram = keyof typeof ENGINE_PROGRAMS;

/** By name in a mover's image, the pinned programs that take the place of those of that name. */
export type Instead = Readonly<Partial<Record<EngineProgram, string>>>;

/** Of rclone, which takes minutes to compile, tests can do with less. */
const SHIPPED: Instead = { rclone: "rclone-few" };

/** What the movers of tests have instead of what is shipped: the one place that says which tests run which engines. */
export const INSTEAD: Readonly<Record<Keys, Instead>> = {
  shipped: SHIPPED,
  cheap: { ...SHIPPED, kopia: "kopia-cheap-keys", restic: "restic-cheap-keys" },
};

/** Where an engine of a test is. */
export function testEngine(name: EngineProgram, keys: Keys = "cheap"): string {
  return pinnedProgram(INSTEAD[keys][name] ?? name);
}

/** What tells a mover of a test where they all are. */
export function testEngineEnv(keys: Keys = "cheap"): Readonly<Record<string, string>> {
  const paths = Object.entries(testEngines(keys)) as [EngineProgram, string][];
  return Object.fromEntries(paths.map(([name, path]) => [ENGINE_PROGRAMS[name], path]));
}

/** Where all programs are that a mover of a test may start, by the name that it knows. */
export function testEngines(keys: Keys = "cheap"): Readonly<Record<EngineProgram, string>> {
  const names = Object.keys(ENGINE_PROGRAMS) as EngineProgram[];
  return Object.fromEntries(names.map((name) => [name, testEngine(name, keys)])) as Record<
    EngineProgram,
    string
  >;
}

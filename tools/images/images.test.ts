import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ENGINE_PROGRAMS } from "../../src/mover/engine_maker.ts";
import { START_COMMAND } from "../../src/wire/pod_layout.ts";
import { commands } from "../launch/commands.mjs";
import programs from "../programs/programs.json" with { type: "json" };
import { entrypointOf, IMAGES, type ImageName } from "./images.ts";

const dockerfile = readFileSync(new URL("../../images/Dockerfile", import.meta.url), "utf8");

/** The instructions of a stage. */
function stage(name: string): readonly string[] {
  const [, text = ""] = dockerfile.split(new RegExp(`^FROM .* AS ${name}$`, "m"));
  return (text.split(/^FROM /m)[0] ?? "").split("\n");
}

/** What an instruction says that a stage has once, or never. */
function said(name: string, instruction: string): string {
  const [line = "", ...more] = stage(name).filter((one) => one.startsWith(`${instruction} `));
  expect(more).toEqual([]);
  return line.slice(instruction.length + 1);
}

test.each(Object.keys(IMAGES) as ImageName[])(
  "the Dockerfile starts the %s as the packed image does",
  (name) => {
    expect(JSON.parse(said(name, "ENTRYPOINT"))).toEqual(entrypointOf(name));
    const env = said(name, "ENV");
    expect(env === "" ? [] : env.split(" ")).toEqual(
      Object.entries(IMAGES[name].env).map(([variable, value]) => `${variable}=${value}`),
    );
  },
);

test("a prepared mover is told to start by the program of its own image", () => {
  expect(START_COMMAND).toEqual([...entrypointOf("mover"), "start"]);
});

test("the mover's image holds every program that an engine may start, built both ways", () => {
  const programs = Object.keys(ENGINE_PROGRAMS);
  expect(IMAGES.mover.programs).toEqual(programs);
  expect(commands.images?.needs?.([]).programs).toEqual(expect.arrayContaining(programs));
  const built = stage("engines").flatMap((line) => / -o \/out\/(\S+) /.exec(line)?.[1] ?? []);
  expect(built.toSorted()).toEqual(programs.toSorted());
});

test("the Dockerfile tells kopia and rclone the versions that are pinned, and that their modules have", () => {
  const told = stage("engines").flatMap((line) => {
    const [, version = "", name = ""] = / -X \S+=v?([\d.]+)' -o \/out\/(\S+) /.exec(line) ?? [];
    return name ? [[name, version]] : [];
  });
  const pinned = { kopia: programs.kopia.version, rclone: programs.rclone.version };
  expect(Object.fromEntries(told)).toEqual(pinned);
  for (const [name, version] of Object.entries(pinned)) {
    const module = readFileSync(new URL(`../programs/${name}/go.mod`, import.meta.url), "utf8");
    expect(module).toContain(`github.com/${name}/${name} v${version}\n`);
  }
});

test("the operator gives back memory that it does not need, as `npm start` does", () => {
  const { start } = commands;
  expect(start?.env?.("/cache")).toMatchObject(IMAGES.operator.env);
  expect(start?.run).toEqual(expect.arrayContaining([...IMAGES.operator.flags]));
});

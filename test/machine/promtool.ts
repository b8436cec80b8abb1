import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { pinnedProgram } from "../../tools/cluster/programs.ts";
import { exposition, type Series } from "../../tools/monitoring/testing/exposition.ts";
import type { Stretch } from "./alert_case.ts";

export interface PromtoolEnd {
  readonly status: number | null;
  readonly text: string;
}

/** Runs promtool on files that are written for it: the last of them is what it is given. */
export function promtool(command: readonly string[], files: Readonly<Record<string, object>>): PromtoolEnd {
  const folder = mkdtempSync(join(tmpdir(), "promtool-"));
  try {
    for (const [name, content] of Object.entries(files))
      writeFileSync(join(folder, name), stringify(content, { aliasDuplicateObjects: false }));
    const last = Object.keys(files).at(-1) ?? "";
    const end = spawnSync(pinnedProgram("promtool"), [...command, last], { cwd: folder, encoding: "utf8" });
    if (end.error) throw end.error;
    return { status: end.status, text: end.stdout + end.stderr };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What Prometheus adds to what it scrapes from the two replicas of the release `holdfast`. */
const REPLICAS = [
  { pod: "holdfast-a", instance: "10.0.0.1:8080" },
  { pod: "holdfast-b", instance: "10.0.0.2:8080" },
].map((own) => ({ namespace: "backups", job: "holdfast-metrics", ...own }));

/**
 * The series of a story as `promtool test rules` reads them, a sample each minute. Both replicas tell of the objects;
 * the first of them leads and does the work. A series that ends is marked so, as Prometheus does.
 */
export async function inputSeries(stretches: readonly Stretch[]): Promise<readonly object[]> {
  const told = await Promise.all(stretches.map(scraped));
  const names = new Set(told.flatMap((samples) => [...samples.keys()]));
  return Array.from(names, (series) => {
    let before = false;
    const values = stretches.flatMap(({ minutes }, index) => {
      const value = told[index]?.get(series);
      const samples = Array.from({ length: minutes }, () => value ?? "_");
      if (value === undefined && before) samples[0] = "stale";
      before = value !== undefined;
      return samples;
    });
    return { series, values: values.join(" ") };
  });
}

async function scraped({ world }: Stretch): Promise<ReadonlyMap<string, string>> {
  if (!world) return new Map();
  const follower = { objects: world.objects ?? [], isLeader: false };
  const answers = await Promise.all([world, follower].map(exposition));
  return new Map(
    answers.flatMap((answer, index) => answer.map((one) => [seriesName(one, REPLICAS[index]), one.value])),
  );
}

/** With `honorLabels`, the operator's own labels win, and an empty one is none. */
function seriesName({ name, labels }: Series, target: Readonly<Record<string, string>> = {}): string {
  const pairs = Object.entries({ ...target, ...labels }).filter(([, value]) => value !== "");
  return `${name}{${pairs.map(([label, value]) => `${label}="${value}"`).join(",")}}`;
}

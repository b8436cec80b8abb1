import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";
import { parseAllDocuments } from "yaml";
import type { KubeObject } from "../../src/kube/object.ts";
import type { PolicyRule } from "../../src/kube/policy_rules.ts";
import { helmProgram } from "../scenarios/helm_program.ts";

export const CHART = "charts/holdfast";
export const NAMESPACE = "backups";

/** An object of the chart, as far as the tests look at it. */
export interface Rendered extends KubeObject {
  readonly spec?: unknown;
  readonly rules?: readonly PolicyRule[];
  readonly subjects?: readonly { readonly name: string }[];
}

export type Values = Readonly<Record<string, string | number | boolean>>;

export interface HelmEnd {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs helm on the chart. */
export function helm(args: readonly string[], values: Values = {}): HelmEnd {
  const end = spawnSync(helmProgram(), [...args, ...set(values)], { encoding: "utf8", maxBuffer: 2 ** 26 });
  if (end.error) throw end.error;
  return end;
}

function set(values: Values): readonly string[] {
  return Object.entries(values).flatMap(([key, value]) => [
    typeof value === "string" ? "--set-string" : "--set",
    `${key}=${String(value).replaceAll(",", "\\,")}`,
  ]);
}

const TEMPLATE = ["template", "holdfast", CHART, "--namespace", NAMESPACE, "--kube-version", "1.37.0"];
const templates = new Map<string, HelmEnd>();

/** What `helm template` says, for a cluster that has these APIs besides Kubernetes' own. */
export function template(values: Values = {}, apis: readonly string[] = []): HelmEnd {
  const has = apis.flatMap((api) => ["--api-versions", api]);
  const key = JSON.stringify([values, apis]);
  const end = templates.get(key) ?? helm([...TEMPLATE, ...has], values);
  templates.set(key, end);
  return end;
}

/** The objects of the chart with these values. */
export function rendered(values: Values = {}, apis: readonly string[] = []): readonly Rendered[] {
  const { status, stdout, stderr } = template(values, apis);
  if (status !== 0) throw new Error(stderr);
  return parsed(stdout);
}

/** The objects of the chart as rendered with a look into a cluster, which may be served by this process. */
export async function renderedThere(
  kubeconfig: string,
  values: Values = {},
  more: readonly string[] = [],
): Promise<readonly Rendered[]> {
  const args = [...TEMPLATE, "--dry-run=server", "--kubeconfig", kubeconfig, ...set(values), ...more];
  const { stdout } = await promisify(execFile)(helmProgram(), args, { maxBuffer: 2 ** 26 });
  return parsed(stdout);
}

function parsed(text: string): readonly Rendered[] {
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors[0]) throw document.errors[0];
    const object = document.toJS() as Rendered | null;
    return object ? [object] : [];
  });
}

/** The object of this kind and name. Throws where there is none. */
export function one(objects: readonly Rendered[], kind: string, name = "holdfast"): Rendered {
  const found = objects.find((object) => object.kind === kind && object.metadata.name === name);
  if (!found) throw new Error(`the chart has no ${kind} ${name}`);
  return found;
}

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { DEMO_NAMESPACE, runDemo } from "../cli/demo/demo.ts";
import { runPlumberDemo } from "../cli/demo/plumber_demo.ts";
import type { Screen } from "../cli/screen.ts";
import type { HttpClient } from "../kube/client/http_client.ts";
import type { PodClient } from "../kube/client/pod_client.ts";
import type { KubeObject } from "../kube/object.ts";
import { systemClock as clock } from "../lib/clock.ts";
import { messageOf } from "../lib/result.ts";
import type { DemoName } from "./embedded_options.ts";

export interface EmbeddedDemo {
  readonly client: HttpClient;
  readonly pods: PodClient;
  readonly signal: AbortSignal;
  readonly screen: Screen;
  readonly moverImage: string;
  /** Default: the main job. */
  readonly of?: DemoName | undefined;
  /** Where people look when it fails. */
  readonly logFile: string;
}

/** Shows what the program is for, once it runs. One that fails leaves it running, and a 1 for its end. */
export async function demonstrate({ logFile, of, ...reach }: EmbeddedDemo): Promise<void> {
  const { screen, signal } = reach;
  screen.line(
    of === "plumber"
      ? "\nA volume is protected by its labels, destroyed, created again, and compared with what it was:\n"
      : "\nA volume is backed up, destroyed, restored, and compared with what it was:\n",
  );
  const { parseAllDocuments } = await import("yaml");
  const example = (file: string) =>
    parseAllDocuments(readFileSync(projectFile(`examples/start/${file}`), "utf8")).map(
      (document) => document.toJS() as KubeObject,
    );
  const password = randomBytes(24).toString("base64url");
  try {
    if (!process.env.HOLDFAST_MOVER)
      throw new Error("HOLDFAST_MOVER names no bundled mover: begin with npm start, which makes one");
    const run = of === "plumber" ? runPlumberDemo : runDemo;
    await run({ ...reach, clock, example, password });
    screen.line(
      `\nLook around: kubectl --namespace ${DEMO_NAMESPACE} get backups.kopiur.home-operations.com,restores.kopiur.home-operations.com,pvc`,
    );
  } catch (error) {
    if (signal.aborted) throw error;
    screen.line(`\n✗ ${messageOf(error)}\n\nThe log says more: ${logFile}`);
    process.exitCode = 1;
  }
}

/** A file of the project, seen from here. */
function projectFile(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}

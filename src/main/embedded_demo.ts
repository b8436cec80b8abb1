import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runAutorestoreDemo } from "../cli/demo/autorestore_demo.ts";
import { DEMO_NAMESPACE, type DemoOptions, runDemo } from "../cli/demo/demo.ts";
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

interface Shown {
  readonly what: string;
  readonly run: (options: DemoOptions) => Promise<void>;
  /** The kinds that it leaves to be looked at. */
  readonly kinds: string;
}

const KOPIUR = "backups.kopiur.home-operations.com,restores.kopiur.home-operations.com,pvc";
const AUTORESTORE = "resticbackups,resticrestores,backupconfigs.backup.datarestor-operator.com,pvc";

const SHOWN: Readonly<Record<DemoName | "main", Shown>> = {
  main: { what: "A volume is backed up, destroyed, restored", run: runDemo, kinds: KOPIUR },
  plumber: {
    what: "A volume is protected by its labels, destroyed, created again",
    run: runPlumberDemo,
    kinds: KOPIUR,
  },
  autorestore: {
    what: "A volume is selected and backed up, destroyed, applied again with its workload",
    run: runAutorestoreDemo,
    kinds: AUTORESTORE,
  },
};

/** Shows what the program is for, once it runs. One that fails leaves it running, and a 1 for its end. */
export async function demonstrate({ logFile, of, ...reach }: EmbeddedDemo): Promise<void> {
  const { screen, signal } = reach;
  const { what, run, kinds } = SHOWN[of ?? "main"];
  screen.line(`\n${what}, and compared with what it was:\n`);
  const { parseAllDocuments } = await import("yaml");
  const example = (file: string) =>
    parseAllDocuments(readFileSync(projectFile(`examples/start/${file}`), "utf8")).map(
      (document) => document.toJS() as KubeObject,
    );
  const password = randomBytes(24).toString("base64url");
  try {
    if (!process.env.HOLDFAST_MOVER)
      throw new Error("HOLDFAST_MOVER names no bundled mover: begin with npm start, which makes one");
    await run({ ...reach, clock, example, password });
    screen.line(`\nLook around: kubectl --namespace ${DEMO_NAMESPACE} get ${kinds}`);
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

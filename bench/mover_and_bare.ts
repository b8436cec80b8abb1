import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { EngineName } from "../src/wire/capabilities.ts";
import type { Answer } from "../src/wire/report.ts";
import type { MadeSnapshot } from "../src/wire/snapshot.ts";
import type { Work } from "../src/wire/work.ts";
import type { BareEngine } from "./engine_ground.ts";
import { type Compared, inTurn } from "./in_turn.ts";
import type { Pod } from "./pod.ts";

const SOURCE = "/holdfast/volumes/data";

export interface EngineGround {
  readonly engine: EngineName;
  readonly pod: Pod;
  readonly bare: BareEngine;
  readonly source: string;
  readonly folder: string;
  readonly say: (line: string) => void;
}

/** How often each is done, on each side. */
export interface Rounds {
  readonly first: number;
  readonly unchanged: number;
  readonly restores: number;
}

export interface EngineCompared {
  readonly first: Compared;
  readonly unchanged: Compared;
  readonly restored: Compared;
  /** The most memory that the mover itself had, and that it had together with its engine. */
  readonly peakMb: number;
  readonly treeMb: number;
  /** One that ours has backed up into. */
  readonly repository: string;
}

/** What the operator asks for when a BackupConfig says nothing else. */
export function work(engine: EngineName): Work {
  const identity = identityFor(engine);
  const usual = { fidelity: "Full", unreadable: "Fail", ignore: { paths: ["/lost+found"] } } as const;
  return { snapshot: { ...usual, sources: [{ name: "data", path: SOURCE, identity }] } };
}

const identityFor = (engine: EngineName) => ({
  username: "app",
  hostname: "shop",
  path: engine === "restic" ? SOURCE : "/data",
});

/** First and unchanged backups and restores, by the mover and by hand. */
export async function compareEngine(ground: EngineGround, rounds: Rounds): Promise<EngineCompared> {
  const { engine, pod, bare, source, folder, say } = ground;
  const repository = (side: string, round: number) => join(folder, `pod/${engine}-${side}-${round}`);
  let peakMb = 0;
  let treeMb = 0;
  const run = async (done: Work, round: number) => {
    const found = await pod.run(done, repository("ours", round));
    peakMb = Math.max(peakMb, found.peakMb);
    treeMb = Math.max(treeMb, found.treeMb);
    return found;
  };
  const snapshot = work(engine);

  say(`${engine}: ${rounds.first} first backups on each side`);
  for (let round = 0; round < rounds.first; round++) {
    await bare.init(repository("bare", round));
    // restic measures anew, for each repository, how slowly a key is to be made of its password: both sides get the same.
    if (engine === "restic")
      cpSync(repository("bare", round), repository("ours", round), { recursive: true });
    await run({ init: { create: true } }, round);
  }
  const first = await inTurn(rounds.first, {
    bare: (round) => bare.backup(repository("bare", round), source),
    ours: async (round) => (await run(snapshot, round)).ms,
  });

  say(`${engine}: ${rounds.unchanged} backups of the same again`);
  let made: MadeSnapshot | undefined;
  const unchanged = await inTurn(rounds.unchanged, {
    bare: () => bare.backup(repository("bare", 0), source),
    ours: async () => {
      const { ms, answer } = await run(snapshot, 0);
      made = (answer as Extract<Answer, { snapshot: unknown }>).snapshot.snapshots[0]?.snapshot;
      return ms;
    },
  });

  // Only the first is used again.
  for (let round = 1; round < rounds.first; round++)
    for (const side of ["ours", "bare"]) rmSync(repository(side, round), { recursive: true });

  say(`${engine}: ${rounds.restores} restores`);
  const reference = { id: made?.id ?? "", run: made?.run ?? "", identity: identityFor(engine) };
  // Where files were deleted a moment ago, new ones take ext4 several times as long: all targets stay until the end.
  const target = (side: string, round: number) => `volumes/${engine}-${side}-${round}`;
  const restored = await inTurn(rounds.restores, {
    // A volume is hardly ever restored twice from the same pod: neither side finds in a cache what it wrote there.
    bare: (round) => {
      bare.forget(repository("bare", 0));
      return bare.restore(repository("bare", 0), join(folder, "pod", target("bare", round)));
    },
    ours: async (round) => {
      pod.forget();
      const restore = { snapshot: reference, target: `/holdfast/${target("ours", round)}` };
      return (await run({ restore }, 0)).ms;
    },
  });
  return { first, unchanged, restored, peakMb, treeMb, repository: repository("ours", 0) };
}

import type { ConsoleView } from "../../../src/cli/console/contract.ts";

/** A BackupConfig, by its name. */
export interface Config {
  readonly namespace: string;
  readonly name: string;
}

const GIVEN = /\bconfig\/(\S+).*\s-n\s+(\S+)/;

/** The BackupConfigs that back a volume up, as namespace/name; of one that is gone, that of its restore. */
export function configsOf(
  { volumes, lost }: Pick<ConsoleView, "volumes" | "lost">,
  volume: string | undefined,
): readonly Config[] {
  const there = volumes.find(({ namespace, name }) => `${namespace}/${name}` === volume);
  const gone = lost.find(({ claim }) => claim === volume);
  const [, config, where] = GIVEN.exec(gone?.restore ?? "") ?? [];
  return [
    ...(there?.by ?? [])
      // AutoRestore has a kind of the same name.
      .filter(({ kind, api }) => kind === "BackupConfig" && api === "kopiur")
      .map(({ namespace, name }) => ({ namespace: namespace ?? there?.namespace ?? "", name })),
    ...(config !== undefined && where !== undefined ? [{ namespace: where, name: config }] : []),
  ];
}

import { useQuery } from "@tanstack/react-query";
import { viewQuery } from "../api/queries.ts";
import { useScope } from "../layout/scope.ts";
import { Answer } from "./answer.tsx";
import { Choice } from "./choice.tsx";

interface VolumeChoiceProps {
  /** As namespace/name. */
  readonly chosen: string | undefined;
  readonly onChoose: (volume: string) => void;
}

/** One of the volumes that have a backup, also of those that are gone. */
export function VolumeChoice({ chosen, onChoose }: VolumeChoiceProps) {
  const query = useQuery(viewQuery(useScope()));
  return (
    <Answer query={query} what="the volumes">
      {({ volumes, lost }) => {
        const there = volumes
          .filter(({ lastGood }) => lastGood !== undefined)
          .map(({ namespace, name }): readonly [string, string] => [
            `${namespace}/${name}`,
            `${namespace}/${name}`,
          ]);
        const gone = lost.map(({ claim }): readonly [string, string] => [claim, `${claim} (gone)`]);
        const known = [...there, ...gone].toSorted(([a], [b]) => a.localeCompare(b));
        const own = chosen === undefined || known.some(([volume]) => volume === chosen) ? [] : [chosen];
        return (
          <Choice
            label="Volume"
            value={chosen ?? ""}
            values={[
              ...(chosen === undefined ? [["", "Choose a volume"] as const] : []),
              ...own.map((volume) => [volume, volume] as const),
              ...known,
            ]}
            onChange={(volume) => {
              if (volume !== "") onChoose(volume);
            }}
          />
        );
      }}
    </Answer>
  );
}

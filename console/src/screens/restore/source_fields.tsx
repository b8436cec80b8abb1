import { useState } from "react";
import type { ConsoleView } from "../../../../src/cli/console/contract.ts";
import type { Browsable } from "../../api/use_snapshots.ts";
import { Choice } from "../../parts/choice.tsx";
import { SnapshotChoice } from "../../parts/snapshot_choice.tsx";
import { To } from "../../parts/to.tsx";
import { VolumeChoice } from "../../parts/volume_choice.tsx";
import { configsOf } from "../../text/configs.ts";
import * as links from "../../text/links.ts";
import { Radio } from "./radio.tsx";
import { TextField } from "./text_field.tsx";
import type { Wish } from "./wish.ts";

interface SourceFieldsProps {
  readonly wish: Wish;
  /** As namespace/name. */
  readonly volume: string | undefined;
  readonly rows: readonly Browsable[];
  readonly view: ConsoleView | undefined;
  readonly onChange: (more: Partial<Wish>) => void;
  readonly onVolume: (volume: string) => void;
}

const WAYS = [
  { value: "snapshot", label: "A snapshot" },
  { value: "moment", label: "As it was at a time", says: "The newest snapshot before it." },
  { value: "undo", label: "Undo a restore", says: "As it was before a restore in place." },
] as const;

/** Where the data comes from. */
export function SourceFields({ wish, volume, rows, view, onChange, onVolume }: SourceFieldsProps) {
  const configs = view ? configsOf(view, volume) : [];
  const chosen = { namespace: wish.namespace, backup: wish.backup, pvc: wish.pvc || undefined };
  const choose = (source: Wish["source"]) => {
    const [config] = configs;
    const named = config ? { config: config.name, namespace: config.namespace } : {};
    onChange({
      source,
      ...(source === "moment" ? { ...named, pvc: volume?.split("/")[1] ?? wish.pvc } : {}),
    });
  };
  return (
    <section className="card" aria-labelledby="restore-from">
      <h2 id="restore-from">1. From</h2>
      <Radio legend="The source" value={wish.source} values={WAYS} onChange={choose} />
      <div className="filters">
        {wish.source === "undo" ? (
          <>
            <TextField
              label="Namespace"
              value={wish.namespace}
              onChange={(namespace) => onChange({ namespace })}
              required
            />
            <TextField
              label="The Restore to undo; empty is the last one in place"
              value={wish.undo === "last" ? "" : wish.undo}
              placeholder="restore/documents-x7"
              onChange={(undo) => onChange({ undo })}
            />
          </>
        ) : (
          <VolumeChoice chosen={volume} onChoose={onVolume} />
        )}
        {wish.source === "snapshot" && (rows.length > 0 || wish.backup !== "") ? (
          <SnapshotChoice
            label="Snapshot"
            rows={rows}
            chosen={chosen}
            onChoose={({ namespace, backup, pvc }) => onChange({ namespace, backup, pvc: pvc ?? "" })}
          />
        ) : null}
        {wish.source === "moment" ? (
          <Moment wish={wish} configs={configs.map(({ name }) => name)} onChange={onChange} />
        ) : null}
      </div>
      {wish.source === "undo" ? null : (
        <div className="filters">
          <TextField
            label="Only this file or folder; empty is all"
            value={wish.path}
            placeholder="letters/anna.txt"
            onChange={(path) => onChange({ path })}
          />
          {wish.source === "snapshot" && wish.backup !== "" ? (
            <To className="button" place={links.files(chosen, { volume })}>
              Look for it in the files
            </To>
          ) : null}
        </div>
      )}
    </section>
  );
}

interface MomentProps {
  readonly wish: Wish;
  readonly configs: readonly string[];
  readonly onChange: (more: Partial<Wish>) => void;
}

function Moment({ wish, configs, onChange }: MomentProps) {
  const [local, setLocal] = useState("");
  const values = configs.includes(wish.config) || wish.config === "" ? configs : [wish.config, ...configs];
  return (
    <>
      <Choice
        label="BackupConfig"
        value={wish.config}
        values={[
          ...(wish.config === "" ? [["", "Choose a BackupConfig"] as const] : []),
          ...values.map((one) => [one, one] as const),
        ]}
        onChange={(config) => onChange({ config })}
      />
      <TextField
        label="At; empty is the newest"
        type="datetime-local"
        value={local}
        onChange={(text) => {
          setLocal(text);
          const at = Date.parse(text);
          onChange({ at: Number.isNaN(at) ? "" : new Date(at).toISOString() });
        }}
      />
      {wish.at !== "" && local === "" ? <span className="dim">At {wish.at}</span> : null}
    </>
  );
}

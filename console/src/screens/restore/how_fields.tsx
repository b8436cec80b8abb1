import { Choice } from "../../parts/choice.tsx";
import { Check, TextField } from "./text_field.tsx";
import type { Wish } from "./wish.ts";

interface HowFieldsProps {
  readonly wish: Wish;
  readonly onChange: (more: Partial<Wish>) => void;
}

const EXISTING = [
  ["", "Overwrite them"],
  ["OverwriteChanged", "Overwrite those that differ"],
  ["Keep", "Keep them"],
  ["Refuse", "Write into an empty volume alone"],
] as const;

const OWNERSHIP = [
  ["", "As the operator is set up"],
  ["Exact", "As they were, or nothing is written"],
  ["BestEffort", "Where they can be set; the rest is counted"],
  ["Skip", "Do not restore them"],
] as const;

/** What becomes of what is there, and of owners. */
export function HowFields({ wish, onChange }: HowFieldsProps) {
  const inPlace = wish.source === "undo" || wish.target === "existing";
  const chooses = inPlace && wish.source !== "undo";
  return (
    <section className="card" aria-labelledby="restore-how">
      <h2 id="restore-how">{wish.source === "undo" ? "2" : "3"}. How</h2>
      {inPlace ? (
        <div className="checks">
          <Check
            label="Make a backup of it first"
            says="So that this restore can be undone. Needs a BackupConfig that backs it up."
            value={!wish.skipBackup}
            onChange={(first) => onChange({ skipBackup: !first })}
          />
          <Check
            label="Scale down what uses it"
            says="Workloads come back afterwards. Argo CD and Flux are paused meanwhile."
            value={wish.scaleDown}
            onChange={(scaleDown) => onChange({ scaleDown })}
          />
          {chooses ? (
            <Check
              label="Delete files that the snapshot does not hold"
              says={wish.path === "" ? "In all of the volume." : "In that folder alone."}
              value={wish.deleteExtra}
              onChange={(deleteExtra) => onChange({ deleteExtra })}
            />
          ) : null}
        </div>
      ) : null}
      <div className="filters">
        {chooses ? (
          <Choice
            label="Files that are there"
            value={wish.existing}
            values={EXISTING}
            onChange={(existing) => onChange({ existing })}
          />
        ) : null}
        <Choice
          label="Owners and attributes"
          value={wish.ownership}
          values={OWNERSHIP}
          onChange={(ownership) => onChange({ ownership })}
        />
        {wish.source === "undo" ? null : (
          <TextField
            label="Into this folder; empty is where it was"
            value={wish.toPath}
            placeholder="/rescued"
            onChange={(toPath) => onChange({ toPath })}
          />
        )}
      </div>
      <Check
        label="As root"
        says="For files of several owners. The namespace must consent."
        value={wish.privileged}
        onChange={(privileged) => onChange({ privileged })}
      />
    </section>
  );
}

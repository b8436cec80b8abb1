import { useState } from "react";
import type { ConsoleView } from "../../../../src/cli/console/contract.ts";
import { Choice } from "../../parts/choice.tsx";
import { Radio } from "./radio.tsx";
import { TextField } from "./text_field.tsx";
import { placeOf, type Wish } from "./wish.ts";

interface TargetFieldsProps {
  readonly wish: Wish;
  /** As namespace/name. */
  readonly volume: string | undefined;
  readonly view: ConsoleView | undefined;
  readonly namespaces: readonly string[] | undefined;
  readonly onChange: (more: Partial<Wish>) => void;
}

type Way = "new" | "in place" | "other";

const MODES = ["", "ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"] as const;

/** Where the data goes. */
export function TargetFields({ wish, volume, view, namespaces, onChange }: TargetFieldsProps) {
  const place = placeOf(wish);
  const isOwn = wish.target === "existing" && `${place}/${wish.targetName}` === volume;
  const [elsewhere, setElsewhere] = useState(false);
  const [where = "", name = ""] = volume?.split("/") ?? [];
  const isThere = view?.volumes.some((one) => `${one.namespace}/${one.name}` === volume) ?? false;
  const way: Way = wish.target === "new" ? "new" : isOwn && !elsewhere ? "in place" : "other";
  const choose = (next: Way) => {
    setElsewhere(next === "other");
    if (next === "new") onChange({ target: "new", targetName: isThere ? `${name}-restored` : name });
    else if (next === "in place") onChange({ target: "existing", targetName: name, targetNamespace: where });
    else onChange({ target: "existing", targetName: "" });
  };
  const known = view?.volumes.filter(({ namespace }) => namespace === place).map(({ name }) => name);
  return (
    <section className="card" aria-labelledby="restore-to">
      <h2 id="restore-to">2. To</h2>
      <Radio
        legend="The target"
        value={way}
        values={[
          { value: "new", label: "A new PVC", says: "Nothing is overwritten." },
          ...(isThere
            ? [
                {
                  value: "in place",
                  label: `In place, into ${volume}`,
                  says: "Its files are overwritten.",
                } as const,
              ]
            : []),
          { value: "other", label: "Another PVC that is there", says: "Its files are overwritten." },
        ]}
        onChange={choose}
      />
      {way === "in place" ? null : (
        <div className="filters">
          {namespaces ? (
            <Choice
              label="Namespace"
              value={place}
              values={[...new Set([place, ...namespaces])].map((one) => [one, one] as const)}
              onChange={(targetNamespace) => onChange({ targetNamespace })}
            />
          ) : (
            <TextField
              label="Namespace"
              value={place}
              onChange={(targetNamespace) => onChange({ targetNamespace })}
            />
          )}
          <TextField
            label={way === "new" ? "Name of the new PVC" : "Name of the PVC"}
            value={wish.targetName}
            known={way === "new" ? undefined : known}
            onChange={(targetName) => onChange({ targetName })}
            required
          />
        </div>
      )}
      {way === "new" ? (
        <details>
          <summary>Size, class and access mode: as the volume had them</summary>
          <div className="filters">
            <TextField
              label="Size"
              value={wish.capacity}
              placeholder="10Gi"
              onChange={(capacity) => onChange({ capacity })}
            />
            <TextField
              label="StorageClass"
              value={wish.storageClass}
              onChange={(storageClass) => onChange({ storageClass })}
            />
            <Choice
              label="Access mode"
              value={wish.accessMode}
              values={MODES.map((mode) => [mode, mode === "" ? "As it was" : mode] as const)}
              onChange={(accessMode) => onChange({ accessMode })}
            />
          </div>
        </details>
      ) : null}
    </section>
  );
}

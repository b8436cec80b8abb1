import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import type { ProtectChoice } from "../../../../src/cli/console/contract.ts";
import { protectQuery } from "../../api/queries.ts";
import { Answer } from "../../parts/answer.tsx";
import { Choice } from "../../parts/choice.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ProtectPreview } from "./protect_preview.tsx";

interface ProtectDialogProps {
  /** As namespace/name. */
  readonly claim: string;
  readonly onClose: () => void;
}

/** Protects a volume: the person chooses an API and sees its object before anything is written. */
export function ProtectDialog({ claim, onClose }: ProtectDialogProps) {
  const [namespace = "", name = ""] = claim.split("/");
  const query = useQuery(protectQuery({ namespace, name }));
  return (
    <Dialog title={`Protect ${claim}`} onClose={onClose}>
      <Answer query={query} what="the ways to protect it">
        {(choices) => (
          <Choices
            namespace={namespace}
            name={name}
            // What can be done now comes first.
            choices={choices.toSorted((a, b) => Number(!canBeDone(a)) - Number(!canBeDone(b)))}
            onClose={onClose}
          />
        )}
      </Answer>
    </Dialog>
  );
}

function canBeDone({ missing, denied }: ProtectChoice): boolean {
  return !missing && !denied;
}

interface ChoicesProps {
  readonly namespace: string;
  readonly name: string;
  readonly choices: readonly ProtectChoice[];
  readonly onClose: () => void;
}

function Choices({ namespace, name, choices, onClose }: ChoicesProps) {
  const [api, setApi] = useState(choices.find(canBeDone)?.api);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [shown, setShown] = useState(false);
  const chosen = choices.find((choice) => choice.api === api);
  const options = Object.fromEntries(
    (chosen?.options ?? []).map(({ name, value }) => [name, values[`${api} ${name}`] ?? value]),
  );
  if (choices.length === 0) return <p>No API that this cluster serves can protect it.</p>;
  if (shown && chosen) {
    const request = { namespace, name, api: chosen.api, options };
    return <ProtectPreview request={request} onBack={() => setShown(false)} onClose={onClose} />;
  }
  return (
    <form
      className="run"
      onSubmit={(event) => {
        event.preventDefault();
        if (chosen) setShown(true);
      }}
    >
      <fieldset className="choices">
        <legend>How?</legend>
        {choices.map((choice) => (
          <Way
            key={choice.api}
            choice={choice}
            chosen={choice.api === api}
            onChoose={() => setApi(choice.api)}
          />
        ))}
      </fieldset>
      {chosen?.options.map((option) => (
        <Option
          key={`${api} ${option.name}`}
          option={option}
          value={options[option.name] ?? ""}
          onChange={(value) => setValues({ ...values, [`${api} ${option.name}`]: value })}
        />
      ))}
      <div className="actions">
        <button type="submit" className="primary" disabled={!chosen}>
          Show what it writes
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </form>
  );
}

interface WayProps {
  readonly choice: ProtectChoice;
  readonly chosen: boolean;
  readonly onChoose: () => void;
}

function Way({ choice, chosen, onChoose }: WayProps) {
  const { title, says, missing, denied, api } = choice;
  const id = useId();
  return (
    <div className="way">
      <input
        type="radio"
        id={id}
        name="way"
        checked={chosen}
        disabled={!canBeDone(choice)}
        onChange={onChoose}
      />
      <div>
        <label htmlFor={id}>
          {title} <span className="dim">({api})</span>
        </label>
        {says.map((one) => (
          <p key={one} className="dim">
            {one}
          </p>
        ))}
        {missing ? <p>Missing: {missing}</p> : null}
        {denied ? <p>Not allowed: {denied}</p> : null}
      </div>
    </div>
  );
}

interface OptionProps {
  readonly option: ProtectChoice["options"][number];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Option({ option: { title, values }, value, onChange }: OptionProps) {
  const id = useId();
  if (values)
    return (
      <Choice label={title} value={value} values={values.map((one) => [one, one])} onChange={onChange} />
    );
  return (
    <span className="field">
      <label htmlFor={id}>{title}</label>
      <input
        id={id}
        value={value}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => onChange(event.target.value)}
      />
    </span>
  );
}

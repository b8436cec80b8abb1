import { useId } from "react";

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly values: readonly (readonly [value: string, label: string])[];
  readonly onChange: (value: string) => void;
}

/** One of several, by the browser's own list. */
export function Choice({ label, value, values, onChange }: ChoiceProps) {
  const id = useId();
  return (
    <span className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
        {values.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </span>
  );
}

interface SearchFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** The page's search: the key / leads here. */
export function SearchField({ label, value, onChange }: SearchFieldProps) {
  const id = useId();
  return (
    <span className="field grow">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="search"
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </span>
  );
}

import { useId } from "react";

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder?: string;
  readonly type?: "text" | "datetime-local";
  /** What may be meant. */
  readonly known?: readonly string[] | undefined;
  readonly required?: boolean;
}

export function TextField({
  label,
  value,
  onChange,
  placeholder,
  type = "text",
  known,
  required,
}: TextFieldProps) {
  const id = useId();
  return (
    <span className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type={type}
        value={value}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        required={required}
        list={known ? `${id}known` : undefined}
        onChange={(event) => onChange(event.target.value)}
      />
      {known ? (
        <datalist id={`${id}known`}>
          {known.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      ) : null}
    </span>
  );
}

interface CheckProps {
  readonly label: string;
  readonly says?: string;
  readonly value: boolean;
  readonly onChange: (value: boolean) => void;
}

export function Check({ label, says, value, onChange }: CheckProps) {
  return (
    <label className="check">
      <input type="checkbox" checked={value} onChange={(event) => onChange(event.target.checked)} />
      <span>
        <span className="radio-label">{label}</span>
        {says ? <span className="dim"> {says}</span> : null}
      </span>
    </label>
  );
}

import { type ReactNode, useId } from "react";

interface RadioProps<T extends string> {
  readonly legend: string;
  readonly value: T;
  readonly values: readonly { readonly value: T; readonly label: string; readonly says?: string }[];
  readonly onChange: (value: T) => void;
  readonly children?: ReactNode;
}

/** One of a few ways, each with what it means. */
export function Radio<T extends string>({ legend, value, values, onChange, children }: RadioProps<T>) {
  const name = useId();
  return (
    <fieldset className="radio">
      <legend className="hidden">{legend}</legend>
      {values.map((one) => (
        <label key={one.value} className="check">
          <input
            type="radio"
            name={name}
            value={one.value}
            checked={one.value === value}
            onChange={() => onChange(one.value)}
          />
          <span>
            <span className="radio-label">{one.label}</span>
            {one.says ? <span className="dim"> {one.says}</span> : null}
          </span>
        </label>
      ))}
      {children}
    </fieldset>
  );
}

interface ProgressProps {
  readonly label: string;
  /** Undefined: it moves, and nobody knows how far it is. */
  readonly percent?: number | undefined;
}

export function Progress({ label, percent }: ProgressProps) {
  return (
    <progress
      className="progress"
      aria-label={label}
      max={100}
      {...(percent === undefined ? {} : { value: percent })}
    />
  );
}

import { useState } from "react";

interface CopiedProps {
  readonly label: string;
  readonly text: string;
  /** Several lines, with a scroll bar of its own. */
  readonly block?: boolean;
}

/** A text to take along: a command line, an address, YAML. */
export function Copied({ label, text, block = false }: CopiedProps) {
  const [done, setDone] = useState<string>();
  const copy = async () => {
    // Without HTTPS, browsers give no clipboard.
    const copied = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    );
    setDone(copied ? "Copied" : "Select the text to copy it");
  };
  return (
    <div className={block ? "copied block" : "copied"}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls must be reachable by keys */}
      <section tabIndex={0} aria-label={label}>
        <pre>{text}</pre>
      </section>
      <button type="button" aria-label={`Copy: ${label}`} onClick={() => void copy()}>
        Copy
      </button>
      <span role="status" className="dim">
        {done}
      </span>
    </div>
  );
}

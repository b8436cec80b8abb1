import { type ReactNode, useEffect, useId, useRef } from "react";
import "./dialog.css";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** Comes in from the side, as high as the page. */
  readonly drawer?: boolean;
}

/** A dialog that has the page to itself: the browser's own, which keeps the focus inside and gives it back. */
export function Dialog({ title, onClose, children, drawer = false }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const dialog = ref.current;
    if (dialog && !dialog.open) dialog.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      className={drawer ? "dialog drawer" : "dialog"}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <header>
        <h2 id={heading}>{title}</h2>
        <button type="button" className="quiet" aria-label="Close" onClick={onClose}>
          ✕
        </button>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
      <section className="dialog-body" aria-labelledby={heading} tabIndex={0}>
        {children}
      </section>
    </dialog>
  );
}

import { type ComponentProps, useState } from "react";
import type { Action } from "../../../src/cli/console/contract.ts";
import { Dialog } from "./dialog.tsx";
import { useDenial } from "./rights.ts";
import { RunDialog } from "./run_dialog.tsx";

type ActionButtonProps = Omit<ComponentProps<typeof RunDialog>, "onClose" | "title"> & {
  readonly action: Action;
  /** The Backup or repository that it is done to, where that tells which namespace counts. */
  readonly of?: string | undefined;
  /** Names what it is done to, for the dialog and for who hears the button. */
  readonly title: string;
  readonly className?: string;
};

/** A button for a command. One that the person may not do says why. */
export function ActionButton({ action, of, className, ...run }: ActionButtonProps) {
  const [open, setOpen] = useState(false);
  const denied = useDenial(action, run.namespace, of);
  const close = () => setOpen(false);
  return (
    <>
      <button
        type="button"
        className={className}
        title={denied ?? run.title}
        aria-label={run.title}
        data-denied={denied === undefined ? undefined : ""}
        onClick={() => setOpen(true)}
      >
        {run.verb}
      </button>
      {open && denied !== undefined ? <Denied title={run.title} why={denied} onClose={close} /> : null}
      {open && denied === undefined ? <RunDialog {...run} onClose={close} /> : null}
    </>
  );
}

interface DeniedProps {
  readonly title: string;
  readonly why: string;
  readonly onClose: () => void;
}

/** Why an action may not be done. */
export function Denied({ title, why, onClose }: DeniedProps) {
  return (
    <Dialog title={`Not allowed: ${title}`} onClose={onClose}>
      <p>{why}</p>
      <p>Who administers the cluster can give you this right with a Role or ClusterRole.</p>
      <div className="actions">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

import { useEffect, useState } from "react";
import { useRun } from "../../api/use_run.ts";
import { Copied } from "../../parts/copied.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { RunView } from "../../parts/run_view.tsx";
import { commandLine } from "../../text/command_line.ts";

interface LogProps {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** As a command names it. */
  readonly reference: string;
}

/** Shows the log of a run's mover. */
export function LogButton(props: LogProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" aria-label={`Log of ${props.kind} ${props.name}`} onClick={() => setOpen(true)}>
        Log
      </button>
      {open ? <LogDialog {...props} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function LogDialog({
  kind,
  namespace,
  name,
  reference,
  onClose,
}: LogProps & { readonly onClose: () => void }) {
  const { state, start } = useRun();
  const words = ["logs", reference, "--follow"];
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is followed once, from when the dialog opens
  useEffect(() => void start({ namespace, words }), []);
  return (
    <Dialog title={`Log of ${kind} ${namespace}/${name}`} onClose={onClose}>
      <RunView state={state} />
      <Copied label="The command line that does the same" text={commandLine(words, namespace)} />
    </Dialog>
  );
}

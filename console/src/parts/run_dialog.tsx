import { type ReactNode, useId, useState } from "react";
import { useRun } from "../api/use_run.ts";
import { commandLine } from "../text/command_line.ts";
import { Copied } from "./copied.tsx";
import { Dialog } from "./dialog.tsx";
import { RunView } from "./run_view.tsx";

interface RunDialogProps {
  readonly title: string;
  /** On the button that begins it. */
  readonly verb: string;
  readonly namespace: string;
  readonly words: readonly string[];
  /** What it does, in a sentence or two. */
  readonly says: ReactNode;
  /** What can be chosen before it begins. */
  readonly children?: ReactNode;
  /** Must be typed before it begins: for what cannot be taken back. */
  readonly confirm?: string | undefined;
  readonly detach?: boolean;
  readonly onClose: () => void;
}

/** Shows what a command does and the line that does the same, runs it, and follows it to its end. */
export function RunDialog(props: RunDialogProps) {
  const { title, verb, namespace, words, says, children, confirm, detach = true, onClose } = props;
  const { state, start, stop } = useRun();
  const [typed, setTyped] = useState("");
  const field = useId();
  const running = state.phase === "running";
  const over = state.phase === "done";
  const ready = confirm === undefined || typed === confirm;
  return (
    <Dialog title={title} onClose={onClose}>
      <div>{says}</div>
      {state.phase === "idle" ? children : null}
      <Copied label="The command line that does the same" text={commandLine(words, namespace)} />
      <RunView state={state} />
      <form
        className="actions"
        onSubmit={(event) => {
          event.preventDefault();
          if (ready && !running && !over) void start({ namespace, words, detach });
        }}
      >
        {confirm !== undefined && !over ? (
          <label htmlFor={field}>
            Type <b>{confirm}</b> to confirm
            <input
              id={field}
              value={typed}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => setTyped(event.target.value)}
            />
          </label>
        ) : null}
        {over ? null : (
          <button
            type="submit"
            className={confirm === undefined ? "primary" : "danger"}
            disabled={!ready || running}
          >
            {state.phase === "failed" || state.phase === "ended" ? "Try again" : verb}
          </button>
        )}
        {running && !detach ? (
          <button type="button" onClick={stop}>
            End it
          </button>
        ) : null}
        <button type="button" onClick={onClose}>
          {over ? "Close" : running && detach ? "Close; it goes on" : "Cancel"}
        </button>
      </form>
    </Dialog>
  );
}

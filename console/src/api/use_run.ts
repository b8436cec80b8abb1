import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { Run } from "../../../src/cli/console/contract.ts";
import { problemOf } from "../text/problem.ts";
import { refreshLive } from "./queries.ts";
import { runEvents } from "./run.ts";
import { afterEnd, afterEvent, IDLE, RUNNING, type RunState } from "./run_state.ts";

export interface RunControl {
  readonly state: RunState;
  readonly start: (run: Run) => Promise<void>;
  /** Ends the command, as Ctrl-C would. */
  readonly stop: () => void;
  readonly reset: () => void;
}

/** Runs one command at a time for a part of the page. Leaving the page ends it, unless it is detached. */
export function useRun(): RunControl {
  const client = useQueryClient();
  const [state, setState] = useState<RunState>(IDLE);
  const control = useRef<AbortController>(undefined);
  useEffect(() => () => control.current?.abort(), []);
  const start = async (run: Run) => {
    control.current?.abort();
    const mine = new AbortController();
    control.current = mine;
    setState(RUNNING);
    try {
      for await (const event of runEvents(run, mine.signal)) setState((now) => afterEvent(now, event));
      setState(afterEnd);
    } catch (error) {
      if (!mine.signal.aborted)
        setState((now) => ({ ...now, phase: "failed", progress: undefined, problem: problemOf(error) }));
    }
    await refreshLive(client);
  };
  const stop = () => {
    control.current?.abort();
    setState((now) => ({
      ...now,
      phase: "ended",
      progress: undefined,
      problem: { message: "You ended it" },
    }));
  };
  return { state, start, stop, reset: () => setState(IDLE) };
}

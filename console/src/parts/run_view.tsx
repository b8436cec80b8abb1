import type { RunState } from "../api/run_state.ts";
import { ProblemBox } from "./problem_box.tsx";
import { Progress } from "./progress.tsx";

/** How a command goes, read out as it changes. */
export function RunView({ state }: { readonly state: RunState }) {
  const { phase, lines, progress, problem } = state;
  if (phase === "idle") return null;
  return (
    <section className="run" aria-label="How it goes">
      {lines.length > 0 ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls must be reachable by keys
        <pre role="log" aria-label="Output" tabIndex={0}>
          {lines.map(({ line }) => line).join("\n")}
        </pre>
      ) : null}
      <p role="status">{progress ?? (phase === "running" ? "Working …" : phase === "done" ? "Done." : "")}</p>
      {phase === "running" ? <Progress label="Working" percent={percentIn(progress)} /> : null}
      {problem ? <ProblemBox problem={problem} /> : null}
    </section>
  );
}

function percentIn(line: string | undefined): number | undefined {
  const found = /(\d+(?:\.\d+)?) ?%/.exec(line ?? "");
  return found ? Number(found[1]) : undefined;
}

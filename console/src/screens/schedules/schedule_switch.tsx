import { ActionButton } from "../../parts/action_button.tsx";

interface ScheduleSwitchProps {
  readonly namespace: string;
  readonly name: string;
  /** As a command names it. */
  readonly reference: string;
  /** Undefined: it is not known, and both are offered. */
  readonly suspended?: boolean | undefined;
}

/** Stops a schedule, and lets it go on. */
export function ScheduleSwitch({ namespace, name, reference, suspended }: ScheduleSwitchProps) {
  return (
    <>
      {suspended === true ? null : (
        <ActionButton
          action="suspend"
          verb="Suspend"
          title={`Suspend ${name}`}
          namespace={namespace}
          words={["suspend", reference]}
          says={<p>No more runs begin. Running Backups continue.</p>}
        />
      )}
      {suspended === false ? null : (
        <ActionButton
          action="suspend"
          verb="Resume"
          title={`Resume ${name}`}
          namespace={namespace}
          words={["resume", reference]}
          says={<p>Runs begin again at their scheduled times.</p>}
        />
      )}
    </>
  );
}

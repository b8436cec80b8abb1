import { ActionButton } from "../../parts/action_button.tsx";
import { To } from "../../parts/to.tsx";
import * as links from "../../text/links.ts";
import { ScheduleSwitch } from "../schedules/schedule_switch.tsx";

interface ObjectActionsProps {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** As a command names it. */
  readonly reference: string;
}

/** Kinds whose objects run. */
export type RunKind = "Backup" | "Restore" | "Maintenance";

type RunProps<Kind extends RunKind> = ObjectActionsProps & { readonly kind: Kind };

/** What can be done with an object of the native API. The command says so where it makes no sense now. */
export function ObjectActions(props: ObjectActionsProps) {
  const { kind } = props;
  switch (kind) {
    case "Backup":
      return <BackupActions {...props} kind={kind} />;
    case "Restore":
      return (
        <>
          <CancelButton {...props} kind={kind} />
          <RetryButton {...props} kind={kind} />
          <DeleteButton {...props} kind={kind} says="The PVC that it wrote, and its data, stay." />
        </>
      );
    case "BackupConfig":
      return <ConfigActions {...props} />;
    case "BackupSchedule":
      return <ScheduleSwitch {...props} />;
    case "Maintenance":
      return (
        <>
          <CancelButton {...props} kind={kind} />
          <RetryButton {...props} kind={kind} />
        </>
      );
    default:
      return null;
  }
}

function BackupActions(props: RunProps<"Backup">) {
  const { namespace, name, reference } = props;
  const files = { namespace, backup: name };
  return (
    <>
      <To className="button" place={links.files(files)}>
        Files
      </To>
      <To className="button" place={links.restore(files)}>
        Restore
      </To>
      <ActionButton
        action="hold"
        verb="Hold"
        title={`Hold Backup ${name}`}
        namespace={namespace}
        words={["hold", reference]}
        says={<p>Retention keeps it, and nobody can delete it until it is unheld.</p>}
      />
      <ActionButton
        action="hold"
        verb="Unhold"
        title={`Unhold Backup ${name}`}
        namespace={namespace}
        words={["unhold", reference]}
        says={<p>Retention may delete it again.</p>}
      />
      <ActionButton
        action="maintain"
        of={reference}
        verb="Verify"
        title={`Verify every file of Backup ${name}`}
        namespace={namespace}
        words={["verify", reference]}
        says={<p>Reads every file that it holds in the repository. This can take long.</p>}
      />
      <CancelButton {...props} />
      <RetryButton {...props} />
      <DeleteButton
        {...props}
        says="Its snapshots are deleted with it, as its deletionPolicy says. This cannot be taken back."
      />
    </>
  );
}

function ConfigActions({ namespace, name, reference }: ObjectActionsProps) {
  return (
    <>
      <ActionButton
        action="backup"
        verb="Back up now"
        title={`Back up now: BackupConfig ${name}`}
        namespace={namespace}
        words={["backup", "now", name]}
        says={<p>Makes a Backup of all that it names, and follows it.</p>}
      />
      <ActionButton
        action="drill"
        verb="Prove it"
        title={`Prove it: Backups of ${name} can be restored`}
        namespace={namespace}
        words={["drill", reference]}
        detach={false}
        says={<p>Restores the newest Backup into new PVCs, compares, and deletes them again.</p>}
      />
    </>
  );
}

export function CancelButton({ namespace, kind, name, reference }: RunProps<RunKind>) {
  return (
    <ActionButton
      action={`cancel ${kind}`}
      verb="Cancel"
      title={`Cancel ${kind} ${name}`}
      namespace={namespace}
      words={["cancel", reference]}
      says={<p>Asks the run to end. What it stored so far is settled by the operator.</p>}
    />
  );
}

export function RetryButton({ namespace, kind, name, reference }: RunProps<RunKind>) {
  return (
    <ActionButton
      action={`retry ${kind}`}
      verb="Retry"
      title={`Retry ${kind} ${name}`}
      namespace={namespace}
      words={["retry", reference]}
      says={<p>Tries again now what failed, or waits for its next attempt.</p>}
    />
  );
}

function DeleteButton({
  namespace,
  kind,
  name,
  reference,
  says,
}: RunProps<"Backup" | "Restore"> & { readonly says: string }) {
  return (
    <ActionButton
      action={`delete ${kind}`}
      verb="Delete"
      title={`Delete ${kind} ${name}`}
      namespace={namespace}
      words={["delete", reference, "--yes"]}
      confirm={name}
      says={<p>{says}</p>}
    />
  );
}

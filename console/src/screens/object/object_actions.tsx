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

/** What can be done with an object of the native API. The command says so where it makes no sense now. */
export function ObjectActions(props: ObjectActionsProps) {
  switch (props.kind) {
    case "Backup":
      return <BackupActions {...props} />;
    case "Restore":
      return (
        <>
          <CancelButton {...props} />
          <RetryButton {...props} />
          <DeleteButton {...props} says="The PVC that it wrote, and its data, stay." />
        </>
      );
    case "BackupConfig":
      return <ConfigActions {...props} />;
    case "BackupSchedule":
      return <ScheduleSwitch {...props} />;
    case "Maintenance":
      return (
        <>
          <CancelButton {...props} />
          <RetryButton {...props} />
        </>
      );
    default:
      return null;
  }
}

function BackupActions(props: ObjectActionsProps) {
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
        action="edit"
        verb="Hold"
        title={`Hold Backup ${name}`}
        namespace={namespace}
        words={["hold", reference]}
        says={<p>Retention keeps it, and nobody can delete it until it is unheld.</p>}
      />
      <ActionButton
        action="edit"
        verb="Unhold"
        title={`Unhold Backup ${name}`}
        namespace={namespace}
        words={["unhold", reference]}
        says={<p>Retention may delete it again.</p>}
      />
      <ActionButton
        action="backup"
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
        action="restore"
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

export function CancelButton({ namespace, kind, name, reference }: ObjectActionsProps) {
  return (
    <ActionButton
      action="cancel"
      verb="Cancel"
      title={`Cancel ${kind} ${name}`}
      namespace={namespace}
      words={["cancel", reference]}
      says={<p>Asks the run to end. What it stored so far is settled by the operator.</p>}
    />
  );
}

export function RetryButton({ namespace, kind, name, reference }: ObjectActionsProps) {
  return (
    <ActionButton
      action="edit"
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
}: ObjectActionsProps & { readonly says: string }) {
  return (
    <ActionButton
      action="delete"
      verb="Delete"
      title={`Delete ${kind} ${name}`}
      namespace={namespace}
      words={["delete", reference, "--yes"]}
      confirm={name}
      says={<p>{says}</p>}
    />
  );
}

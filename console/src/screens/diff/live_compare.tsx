import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { viewQuery } from "../../api/queries.ts";
import { useRun } from "../../api/use_run.ts";
import { useScope } from "../../layout/scope.ts";
import { Denied } from "../../parts/action_button.tsx";
import { Copied } from "../../parts/copied.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { useDenial } from "../../parts/rights.ts";
import { RunView } from "../../parts/run_view.tsx";
import { commandLine } from "../../text/command_line.ts";
import { type Config, configsOf } from "../../text/configs.ts";

interface LiveCompareProps {
  /** As namespace/name. */
  readonly volume: string;
  readonly onMade: (backup: string) => void;
}

/** Compares with the volume as it is now: a Backup of it is made for that. */
export function LiveCompare({ volume, onMade }: LiveCompareProps) {
  const [open, setOpen] = useState(false);
  const { data: view } = useQuery(viewQuery(useScope()));
  const config = view && configsOf(view, volume)[0];
  const isThere = view?.volumes.some(({ namespace, name }) => `${namespace}/${name}` === volume);
  const denied = useDenial("backup", config?.namespace ?? volume.split("/")[0]);
  const why = !isThere
    ? "The volume is gone."
    : config === undefined
      ? "No BackupConfig backs it up, so that no Backup of it can be made."
      : denied;
  const title = "Compare with the volume now";
  if (view === undefined) return null;
  return (
    <>
      <button
        type="button"
        title={why}
        data-denied={why === undefined ? undefined : ""}
        onClick={() => setOpen(true)}
      >
        {title} …
      </button>
      {open && config && why === undefined ? (
        <NowDialog title={title} config={config} onMade={onMade} onClose={() => setOpen(false)} />
      ) : null}
      {open && why !== undefined ? <Denied title={title} why={why} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

interface NowDialogProps {
  readonly title: string;
  readonly config: Config;
  readonly onMade: (backup: string) => void;
  readonly onClose: () => void;
}

function NowDialog({ title, config: { namespace, name: config }, onMade, onClose }: NowDialogProps) {
  const { state, start } = useRun();
  const [name] = useState(() => `${config.slice(0, 200)}-now-${Date.now().toString(36)}`);
  const words = ["backup", "now", config, "--name", name];
  const told = useRef(false);
  useEffect(() => {
    if (state.phase !== "done" || told.current) return;
    told.current = true;
    onMade(name);
    onClose();
  });
  const running = state.phase === "running";
  return (
    <Dialog title={title} onClose={onClose}>
      <p>
        A Backup of BackupConfig {config} is made now: it reads the volume, and stays in the repository like
        any other that was asked for by hand. Then the snapshot that you look at is compared with it.
      </p>
      <Copied label="The command line that makes it" text={commandLine(words, namespace)} />
      <RunView state={state} />
      <div className="actions">
        <button
          type="button"
          className="primary"
          disabled={running}
          onClick={() => void start({ namespace, words, detach: true })}
        >
          Make a Backup and compare
        </button>
        <button type="button" onClick={onClose}>
          {running ? "Close; the Backup goes on" : "Cancel"}
        </button>
      </div>
    </Dialog>
  );
}

import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { Dialog } from "../parts/dialog.tsx";
import { PAGES } from "./pages.ts";
import type { Query } from "./scope.ts";

const KEY = "holdfast-keys";
/** After `g`, the next key has to come within this time. */
const SOON = 1_500;

/** Whether single keys do something: who steers by voice, or hits keys by chance, switches them off. */
const enabled = () => localStorage.getItem(KEY) !== "off";

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable]") !== null
  );
}

/** The keys of every page, and the dialog that lists them. */
export function Keys({
  open,
  setOpen,
}: {
  readonly open: boolean;
  readonly setOpen: (open: boolean) => void;
}) {
  const navigate = useNavigate();
  useEffect(() => {
    let gone = 0;
    const go = (to: string) =>
      void navigate({ to, search: ((before: Query) => ({ ns: before.ns })) as never });
    const press = (event: KeyboardEvent) => {
      const { key, target } = event;
      const other = event.ctrlKey || event.metaKey || event.altKey;
      if (other || !enabled() || isTyping(target) || document.querySelector("dialog[open]")) return;
      const page = performance.now() - gone < SOON ? PAGES.find((one) => one.key === key) : undefined;
      gone = key === "g" ? performance.now() : 0;
      if (page) go(page.to);
      else if (key === "?") setOpen(true);
      else if (key === "/") {
        const field = document.querySelector<HTMLInputElement>("input[type=search]");
        if (field) field.focus();
        else go("/volumes");
      } else return;
      event.preventDefault();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [navigate, setOpen]);
  return open ? <KeysDialog onClose={() => setOpen(false)} /> : null;
}

function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  const [on, setOn] = useState(enabled);
  const change = (next: boolean) => {
    localStorage.setItem(KEY, next ? "on" : "off");
    setOn(next);
  };
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className="facts">
        <Key keys={["/"]} does="Search on this page; elsewhere: the volumes" />
        <Key keys={["?"]} does="This list" />
        <Key keys={["Esc"]} does="Close a dialog" />
        {PAGES.map(({ title, key }) => (
          <Key key={key} keys={["g", key]} does={title} />
        ))}
      </dl>
      <label className="check">
        <input type="checkbox" checked={on} onChange={(event) => change(event.target.checked)} /> Single keys
        work
      </label>
    </Dialog>
  );
}

function Key({ keys, does }: { readonly keys: readonly string[]; readonly does: string }) {
  return (
    <>
      <dt>
        {keys.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dt>
      <dd>{does}</dd>
    </>
  );
}

import { useState } from "react";
import { ActionButton } from "../../parts/action_button.tsx";
import { Choice } from "../../parts/choice.tsx";

interface RepositoryActionsProps {
  readonly kind: "Repository" | "ClusterRepository";
  readonly namespace: string;
  readonly name: string;
  /** As a command names it. */
  readonly reference: string;
}

const SHARES = ["0", "10", "25", "100"];
const MODES = [
  ["quick", "Quick"],
  ["full", "Full"],
  ["full-immediate", "Full, giving space back at once"],
] as const;

export function RepositoryActions({ kind, namespace, name, reference }: RepositoryActionsProps) {
  const [share, setShare] = useState("0");
  const [mode, setMode] = useState<string>("quick");
  // It can destroy what another cluster writes meanwhile.
  const risky = mode === "full-immediate";
  return (
    <>
      <ActionButton
        action="maintain"
        of={reference}
        verb="Verify"
        title={`Verify ${name}`}
        namespace={namespace}
        words={["verify", reference, "--data-percent", share]}
        says={<p>Checks the structure of the repository. Damaged data is found only by reading it.</p>}
      >
        <Choice
          label="How much of the stored data is read"
          value={share}
          values={SHARES.map((one) => [one, `${one} %`])}
          onChange={setShare}
        />
      </ActionButton>
      <ActionButton
        action="maintain"
        of={reference}
        verb="Maintain"
        title={`Maintain ${name}`}
        namespace={namespace}
        words={["maintenance", "run", reference, "--mode", mode, ...(risky ? ["--yes"] : [])]}
        confirm={risky ? name : undefined}
        says={
          <p>
            Maintains the repository now.
            {risky ? " This mode can destroy data that another cluster writes at the same time." : ""}
          </p>
        }
      >
        <Choice label="How thoroughly" value={mode} values={MODES} onChange={setMode} />
      </ActionButton>
      <ActionButton
        action={`retry ${kind}`}
        verb="Retry"
        title={`Retry ${name}`}
        namespace={namespace}
        words={["retry", reference]}
        says={<p>Connects to it again now.</p>}
      />
    </>
  );
}

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Protect, Protected } from "../../../../src/cli/console/contract.ts";
import { postJson } from "../../api/http.ts";
import { refreshLive } from "../../api/queries.ts";
import { Answer } from "../../parts/answer.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Copied } from "../../parts/copied.tsx";
import { ObjectLink } from "../../parts/object_link.tsx";
import { ProblemBox } from "../../parts/problem_box.tsx";
import { problemOf } from "../../text/problem.ts";

interface ProtectPreviewProps {
  readonly request: Omit<Protect, "dryRun">;
  readonly onBack: () => void;
  readonly onClose: () => void;
}

/** The objects as they would be, and the button that writes them. */
export function ProtectPreview({ request, onBack, onClose }: ProtectPreviewProps) {
  const client = useQueryClient();
  const send = (dryRun: boolean) => postJson<Protected>("protect", { ...request, dryRun } satisfies Protect);
  const preview = useQuery({
    queryKey: ["protect preview", request],
    queryFn: () => send(true),
    staleTime: 0,
    gcTime: 0,
  });
  const write = useMutation({ mutationFn: () => send(false), onSuccess: () => refreshLive(client) });
  if (write.data) return <Written written={write.data} onClose={onClose} />;
  return (
    <Answer query={preview} what="what it writes">
      {({ yaml, line }) => (
        <>
          <p>This is written to the cluster, and nothing else:</p>
          <Copied block label="YAML of what is written" text={yaml} />
          <Copied label="The command line that does the same" text={line} />
          {write.error ? <ProblemBox problem={problemOf(write.error)} /> : null}
          <div className="actions">
            <button
              type="button"
              className="primary"
              disabled={write.isPending}
              onClick={() => write.mutate()}
            >
              Write it
            </button>
            <button type="button" disabled={write.isPending} onClick={onBack}>
              Back
            </button>
            <button type="button" onClick={onClose}>
              Cancel
            </button>
          </div>
        </>
      )}
    </Answer>
  );
}

function Written({ written, onClose }: { readonly written: Protected; readonly onClose: () => void }) {
  return (
    <>
      <p role="status">
        <Badge tone="good">Written</Badge> Its first backup comes with the next scheduled time.
      </p>
      <ul className="says">
        {written.objects.map((object) => (
          <li key={`${object.kind}/${object.namespace}/${object.name}`}>
            <ObjectLink object={object} />
          </li>
        ))}
      </ul>
      <div className="actions">
        <button type="button" className="primary" onClick={onClose}>
          Close
        </button>
      </div>
    </>
  );
}

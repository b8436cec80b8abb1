import type { ReactNode } from "react";
import type { Tone } from "../text/levels.ts";
import { Sign } from "./sign.tsx";

interface BadgeProps {
  readonly tone: Tone;
  readonly children: ReactNode;
  readonly title?: string | undefined;
}

export function Badge({ tone, children, title }: BadgeProps) {
  return (
    <span className={`badge tone-${tone}`} title={title}>
      <Sign tone={tone} />
      {children}
    </span>
  );
}

/**
 * A page whose session has ended is hidden, not taken down: what was typed, the ids of what was asked for and answers that
 * are still on their way are there again when the same person has signed in.
 */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

export function Kept({ hidden, children }: { hidden: boolean; children: ComponentChildren }) {
  const before = useRef<Element | null>(null);
  useLayoutEffect(() => {
    if (hidden) before.current = document.activeElement;
    else if (before.current instanceof HTMLElement) before.current.focus();
  }, [hidden]);
  return (
    <div class="kept" hidden={hidden}>
      {children}
    </div>
  );
}

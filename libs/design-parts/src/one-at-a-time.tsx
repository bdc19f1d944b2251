/** A key that is pressed twice, or held, sends one request: a button is disabled only after the page is drawn again. */
import { useRef, useState } from 'preact/hooks';

export interface OneAtATime {
  readonly busy: boolean;
  /** Runs the task, or answers undefined at once while another one runs. */
  readonly run: <T>(task: () => Promise<T>) => Promise<T | undefined>;
}

export function useOneAtATime(): OneAtATime {
  const running = useRef(false);
  const [busy, setBusy] = useState(false);
  const run = async <T,>(task: () => Promise<T>): Promise<T | undefined> => {
    if (running.current) return undefined;
    running.current = true;
    setBusy(true);
    try {
      return await task();
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  return { busy, run };
}

/** Whether the open form holds what is not saved; a person is asked before anything else takes its place. */
import { useLayoutEffect } from 'preact/hooks';

const question = 'What you changed here is not saved. Leave it?';

let unsaved = false;

/** For as long as the form is open. The browser asks in its own words before the page is closed or loaded again. */
export function useUnsaved(dirty: boolean): void {
  useLayoutEffect(() => {
    unsaved = dirty;
    const ask = (event: Event) => unsaved && event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => {
      unsaved = false;
      removeEventListener('beforeunload', ask);
    };
  }, [dirty]);
}

/** The form is written, or given up: what comes next needs no question. */
export function letGo(): void {
  unsaved = false;
}

export const mayLeave = (): boolean => !unsaved || confirm(question);

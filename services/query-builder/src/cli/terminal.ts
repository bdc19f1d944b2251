/**
 * The terminal of the command line. Names of groups, fields of documents and sources are what others wrote, and a
 * terminal obeys control characters: they are printed as escapes, which JSON reads back as the characters.
 */
import { plainText } from '@platform/command-line';
import type { Screen } from '../host/import/progress-bar';
import type { Terminal } from './run-command';

export interface Screens {
  readonly out: Screen;
  readonly err: Screen;
}

/** A screen that obeys nothing of what is written to it. */
export function plainScreen(screen: Screen): Screen {
  return { ...(screen.isTTY && { isTTY: true }), write: (text) => screen.write(plainText(text)) };
}

export function terminalOn({ out, err }: Screens, ask?: Terminal['ask']): Terminal {
  const [plainOut, plainErr] = [plainScreen(out), plainScreen(err)];
  return {
    print: (text) => void plainOut.write(`${text}\n`),
    complain: (text) => void plainErr.write(`${text}\n`),
    ...(ask !== undefined && { ask }),
  };
}

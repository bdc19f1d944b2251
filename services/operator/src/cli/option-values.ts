/** Values of options and of the environment that several commands read. */
import { Misuse } from '@platform/command-line';

/** An instant with its zone. Throws `Misuse`. */
export function instantOption(name: string, text: string | undefined): Date {
  const example = '2026-11-20T04:00:00Z';
  if (text === undefined) throw new Misuse(`--${name} is missing: an instant such as ${example}`);
  const at = new Date(text);
  // A text without a zone would be read in the time zone of this machine.
  if (Number.isNaN(at.getTime()) || !/(Z|[+-]\d\d:?\d\d)$/.test(text))
    throw new Misuse(`--${name} is an instant with its zone, such as ${example}, unlike ${text}`);
  return at;
}

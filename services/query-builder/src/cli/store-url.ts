/** The database of a command: the one that the environment names, or that of the local platform. */
import { Misuse } from '@platform/command-line';
import { addressProblem } from '@platform/mongo';

const defaultBase = 7_000;
const offsetOfStore = 17;

/** Throws `Misuse` for a text that names no database. */
export function storeUrlOf({ MONGODB_URL, PORT_BASE }: Readonly<Record<string, string | undefined>>): string {
  const url = MONGODB_URL || `mongodb://127.0.0.1:${Number(PORT_BASE || defaultBase) + offsetOfStore}`;
  const problem = addressProblem(url);
  if (problem) throw new Misuse(`MONGODB_URL is no address of a database: ${problem}`);
  return url;
}

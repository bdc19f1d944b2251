/** Whether a text is the address of a database, by the driver's own rules. */
import { MongoClient } from 'mongodb';
import { z } from 'zod';

/**
 * What is wrong with an address; undefined for one that the driver takes. Nothing is connected. The text never repeats the
 * address, which can contain a password.
 */
export function addressProblem(url: string): string | undefined {
  if (!/^mongodb(\+srv)?:\/\/[^/]/.test(url)) return 'it begins with mongodb:// or mongodb+srv://';
  try {
    new MongoClient(url);
    return undefined;
  } catch (error) {
    const said = error instanceof Error ? error.message : '';
    // It quotes the host, which is a password where the @ is missing.
    if (said.startsWith('Unable to parse')) return 'it names a host or a port that cannot exist';
    return said === '' || said.includes('://') ? 'the driver cannot read it' : said;
  }
}

/** An address as a variable of the environment. It is no `z.url`: several hosts with ports are no URL for the runtime. */
export const addressSchema = z.string().superRefine((url, context) => {
  const message = addressProblem(url);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});

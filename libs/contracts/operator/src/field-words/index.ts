/**
 * The meaning of each field in the gateway's documents, written once for all shapes with the field: the descriptions of
 * the OpenAPI document, and the values of its examples. A key is a field's name, or its parent's name, a dot and its
 * own name where the name alone is ambiguous. A description in a schema takes precedence.
 */
import { caseWords } from './cases';
import { moneyWords } from './money';
import { recordWords } from './records';
import type { Worded } from './words';

interface FieldWords {
  readonly text: string;
  /** The value in examples; without one, the schema's example is used. */
  readonly example?: unknown;
}

export const fieldWords: Readonly<Record<string, FieldWords>> = Object.fromEntries(
  Object.entries<Worded>({ ...recordWords, ...moneyWords, ...caseWords }).map(([name, said]) => [
    name,
    typeof said === 'string' ? { text: said } : { text: said[0], example: said[1] },
  ]),
);

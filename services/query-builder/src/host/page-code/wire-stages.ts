/** Stages of a package's calculation as JSON, with dates marked. */
import type { Stage } from '@platform/page-runtime';

const dateMark = '$$date';

/** Operators with which a pipeline runs code or reaches another table, at any depth. */
const reaching: ReadonlySet<string> = new Set([
  '$accumulator',
  '$function',
  '$where',
  '$lookup',
  '$graphLookup',
  '$unionWith',
  '$out',
  '$merge',
]);

export function writeStages(given: unknown): unknown {
  if (given instanceof Date) return { [dateMark]: given.toISOString() };
  if (Array.isArray(given)) return given.map(writeStages);
  if (typeof given !== 'object' || given === null) return given;
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, writeStages(value)]));
}

export function readStages(given: readonly Readonly<Record<string, unknown>>[]): Stage[] {
  return given.map((stage) => readValue(stage) as Stage);
}

function readValue(given: unknown): unknown {
  if (Array.isArray(given)) return given.map(readValue);
  if (typeof given !== 'object' || given === null) return given;
  const marked = Object.keys(given).length === 1 ? (given as Readonly<Record<string, unknown>>)[dateMark] : undefined;
  if (typeof marked === 'string') return new Date(marked);
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, readValue(value)]));
}

/** Whether stages run code or reach another table, at any depth. */
export function runsCode(given: unknown): boolean {
  if (Array.isArray(given)) return given.some(runsCode);
  if (typeof given !== 'object' || given === null) return false;
  return Object.entries(given).some(([name, value]) => reaching.has(name) || runsCode(value));
}

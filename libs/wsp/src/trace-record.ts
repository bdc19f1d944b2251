/** Finds the record that an id names, reads its case from its owner, and the files that the trace should include. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { exitCodes, Misuse } from '@platform/command-line';
import type { Case, GatewayOperations } from '@platform/workspace-platform/gateway';
import { answerOf, Unanswered, type Gateway } from './gateway';
import { traceOf, type Trace, type TraceFile } from './trace';

type CaseKind = GatewayOperations['readCase']['input']['path']['kind'];

/** The case of a record; without a kind, the first one that the search finds. Throws {@link Unanswered}. */
export async function caseOf(gateway: Gateway, id: string, kind: string | undefined): Promise<Case> {
  const found = kind === undefined ? await kindOf(gateway, id) : { kind, id };
  return answerOf(await gateway('readCase', { path: { kind: found.kind as CaseKind }, query: { id: found.id } }));
}

async function kindOf(gateway: Gateway, id: string): Promise<{ kind: string; id: string }> {
  const { matches, unavailable } = answerOf(await gateway('searchRecords', { query: { q: id } }));
  const match = matches.find(({ kind }) => kind !== 'workspace' && kind !== 'plan');
  if (match) return match;
  // An owner that did not answer may have the record, so the result is neither found nor absent.
  if (unavailable.length > 0)
    throw new Unanswered(
      `no record bears the id ${id} in what was read; not asked: ${unavailable.join(', ')}`,
      exitCodes.failed,
    );
  throw new Unanswered(`no record bears the id ${id}`, exitCodes.negative);
}

interface TraceOptions {
  readonly kind?: string | undefined;
  readonly logs: readonly string[];
  readonly spans: readonly string[];
}

/** The timeline of a record. Throws {@link Unanswered}, and `Misuse` for a file that cannot be read. */
export async function traceRecord(gateway: Gateway, id: string, { kind, logs, spans }: TraceOptions): Promise<Trace> {
  const files = [...logs.flatMap((path) => read(path, 'logs')), ...spans.flatMap((path) => read(path, 'spans'))];
  return traceOf(await caseOf(gateway, id, kind), files);
}

/** A file, or the log files of a folder, recognised by their file extensions. */
function read(path: string, kind: TraceFile['kind']): TraceFile[] {
  try {
    const names = statSync(path).isDirectory()
      ? readdirSync(path)
          .filter((name) => /\.(log|json|jsonl|ndjson)$/.test(name))
          .sort()
          .map((name) => join(path, name))
      : [path];
    return names.map((name) => ({ name, kind, lines: readFileSync(name, 'utf8').split('\n').filter(Boolean) }));
  } catch (error) {
    throw new Misuse(`--${kind} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

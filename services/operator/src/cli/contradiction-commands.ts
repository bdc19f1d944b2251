/**
 * `npm run ops -- contradictions …`: resolutions that the provider's later state contradicts, and how each was settled.
 * Off-line.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { columns, exitCodes, Misuse } from '@platform/command-line';
import type { Claimed, OfflineWork } from '@platform/durable/investigation';
import { contradictionsCollection } from '../contradictions/store/contradictions';
import { closeContradiction, readContradiction } from '../contradictions/workflows/close-contradiction';
import { shownOf } from './shown-of';

export type ContradictionCommand =
  | { readonly kind: 'list'; readonly json: boolean }
  | {
      readonly kind: 'close';
      /** The id of the operation or event; `<migration>:<workspace>` for an item; the tenant of a creation. */
      readonly itemId: string;
      readonly reason: string;
      readonly by: Claimed;
      readonly yes: boolean;
    };

interface Values {
  readonly by?: string | undefined;
  readonly 'token-file'?: string | undefined;
  readonly reason?: string | undefined;
  readonly yes: boolean;
  readonly json: boolean;
}

const listed = 100;

/** Throws `Misuse`. */
export function contradictionCommandOf(name: string, itemId: string, values: Values): ContradictionCommand {
  if (name === 'contradictions list') return { kind: 'list', json: values.json };
  const reason = (values.reason ?? '').trim();
  if (reason === '') throw new Misuse('--reason says how the difference was settled');
  return {
    kind: 'close',
    itemId,
    reason,
    by: { email: values.by, tokenFile: values['token-file'] },
    yes: values.yes,
  };
}

/** Returns the exit code. Throws what the store throws, and `Misuse` for a person without a valid token. */
export async function runContradictionCommand(asked: ContradictionCommand, work: OfflineWork): Promise<number> {
  const { print, complain, confirmed } = work.terminal;
  const contradictions = work.store.collection(contradictionsCollection);
  if (asked.kind === 'list') {
    const found = await contradictions.find(
      { status: 'open' },
      { sort: { kind: 1, createdAt: 1, _id: 1 }, limit: listed },
    );
    const total = await contradictions.count({ status: 'open' });
    if (asked.json)
      print(JSON.stringify({ contradictions: found.map(({ outbox: _outbox, ...each }) => each), total }, null, 2));
    else if (found.length === 0) print('No resolution is contradicted.');
    else
      print(
        columns([
          ['seen at', 'kind', 'id', 'workspace', 'resolved by', 'objects'],
          ...found.map(({ createdAt, kind, itemId, tenantId, resolvedBy, objects }) => [
            createdAt.toISOString(),
            kind,
            itemId,
            tenantId ?? '',
            resolvedBy,
            objects.join(', '),
          ]),
        ]) + shownOf(found.length, total),
      );
    return exitCodes.done;
  }
  const { email: by } = await work.people.personOf(asked.by, '--token-file');
  const ports = { contradictions, clock: work.clock, retryPolicy: { tries: 5, pause: () => delay(500) } };
  const found = await readContradiction(ports, asked.itemId);
  if (!found) return complain('There is no contradiction of this record.');
  print(JSON.stringify({ ...found, outbox: undefined }, null, 2));
  if (!asked.yes && !(await confirmed(asked.itemId))) return complain('Nothing was written.');
  const closed = await closeContradiction(ports, asked.itemId, { by, reason: asked.reason });
  if (!closed.ok) return complain(closed.error);
  print(`Recorded. The contradiction of ${asked.itemId} is closed.`);
  return exitCodes.done;
}

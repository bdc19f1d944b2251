/** A message that a record gave up before the broker had it is a loss, whatever made up for it afterwards. */
import type { Observed } from '../../chaos/observer/outside-evidence';
import type { Accepted } from './broker/server';
import { saidByNoBroker } from './unsaid';

type Entry = { readonly id: string; readonly subject: string; readonly body?: object };
const letter: Entry = { id: 'm-1', subject: 'lifecycle.settled.created' };
const access: Entry = { id: 'workspace-access:acme:2', subject: '$KV.access.acme', body: { revision: 2 } };

/** A record that announces the entries at 10 and has the rest of them at 20. */
function observed(entries: readonly Entry[], left: readonly Entry[] = []): Observed {
  const change = { database: 'operator', collection: 'operations', id: 'op-1', kind: 'replaced' };
  const changes = [
    { ...change, place: 1, at: 10, record: { _id: 'op-1', revision: 'a', outbox: entries } },
    { ...change, place: 2, at: 20, record: { _id: 'op-1', revision: 'b', ...(left.length > 0 && { outbox: left }) } },
  ];
  return { changes } as unknown as Observed;
}

function accepted(subject: string, at: number, { id = '', body = {} }: { id?: string; body?: object }): Accepted {
  const headers = Buffer.from(`NATS/1.0\r\nNats-Msg-Id: ${id}\r\n\r\n`);
  return { subject, at, life: 1, reply: '', headers, payload: Buffer.from(JSON.stringify(body)) };
}

const lost = ['the message m-1 left operator/operations/op-1 before the broker had it'];

describe('a message that is in its record no more', () => {
  it.each([
    ['was never with the broker', []],
    ['came there later', [accepted(letter.subject, 21, letter)]],
    ['is not the one that the broker had', [accepted(letter.subject, 15, { id: 'm-2' })]],
  ])('is lost when it %s', (_what, had) => {
    expect(saidByNoBroker(observed([letter]), { accepted: had })).toEqual(lost);
  });

  it('is not lost when the broker had it before, on any of its disks', () => {
    expect(saidByNoBroker(observed([letter]), { accepted: [accepted(letter.subject, 15, letter)] })).toEqual([]);
  });

  it('is not judged while it waits in its record', () => {
    expect(saidByNoBroker(observed([letter], [letter]), { accepted: [] })).toEqual([]);
  });

  it.each([
    [1, ['the message workspace-access:acme:2 left operator/operations/op-1 before the broker had it']],
    [2, []],
    [3, []],
  ])('is a value of a key that the broker held with revision %i', (revision, said) => {
    const held = accepted(access.subject, 15, { body: { revision } });
    expect(saidByNoBroker(observed([access]), { accepted: [held] })).toEqual(said);
  });
});

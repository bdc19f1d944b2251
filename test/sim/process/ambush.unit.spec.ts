/** Faults fall between a change of the store and its answer, or between a change and the message that it announces. */
import { BSON } from 'mongodb';
import { createTimeline } from '../engine/timeline';
import type { Ambush } from './ambush';
import { createOutages } from './outages';
import { changeIn } from './wire';

/** A command as the driver sends it: a header of 16 bytes, flags, the kind of its section, its document. */
const commandOf = (command: object): Buffer => Buffer.concat([Buffer.alloc(21), BSON.serialize(command)]);
const message = { id: 'm-1', subject: 'alert' };

describe('a change that a process asks the store for', () => {
  it.each([
    ['a new record', { insert: 'operations', documents: [{ _id: 'a' }] }, false],
    ['a new record with a message', { insert: 'operations', documents: [{ _id: 'a', outbox: [message] }] }, true],
    ['a change', { update: 'operations', updates: [{ q: {}, u: { $set: { a: 1 } } }] }, false],
    ['a change with a message', { findAndModify: 'operations', update: { $push: { outbox: message } } }, true],
    ['the end of a message', { update: 'operations', updates: [{ q: {}, u: { $pull: { outbox: {} } } }] }, false],
  ])('is read from its bytes: %s', (_what, command, announces) => {
    const begins = 'insert' in command;
    expect(changeIn(commandOf(command))).toEqual({ collection: 'operations', announces, begins });
  });

  it('is not what only reads', () => {
    expect(changeIn(commandOf({ find: 'operations', filter: { outbox: [] } }))).toBeUndefined();
  });
});

describe('an ambush', () => {
  const [store, broker] = [1, 2];
  const timeline = createTimeline(1);
  const process = timeline.spawn('operator', 'operator-1');
  const announced = { collection: 'operations', announces: true, begins: false };
  const silent = { collection: 'operations', announces: false, begins: false };
  const loss = { is: 'loss', direction: 'both', milliseconds: 5_000, at: 'answer', breaks: false } as const;

  function lyingIn(ambush: Ambush) {
    const outages = createOutages(timeline);
    outages.ambush(process, ambush);
    return outages;
  }

  it('kills at the answer to its change, and at none before or after', () => {
    const outages = lyingIn({ where: 'announcements', change: 2, fate: { is: 'death', at: 'answer' } });
    const at = (change: typeof silent, way: 'request' | 'answer') => outages.springs(process, change, way, store);
    expect([at(announced, 'request'), at(announced, 'answer'), at(silent, 'answer')]).toEqual(Array(3).fill(undefined));
    expect(at(announced, 'answer')).toBe('crash_before');
    expect(at(announced, 'answer')).toBeUndefined();
    expect(outages.sprung).toEqual({ death: 1, sleep: 0, loss: 0 });
  });

  it('puts to sleep with the answer at hand', () => {
    const outages = lyingIn({ where: 'operations', change: 1, fate: { is: 'sleep', at: 'answer' } });
    expect(outages.springs(process, silent, 'answer', store)).toBe('freeze');
  });

  it('may wait for a record to be made', () => {
    const outages = lyingIn({ where: 'beginnings', change: 1, fate: { is: 'death', at: 'answer' } });
    expect(outages.springs(process, announced, 'answer', store)).toBeUndefined();
    expect(outages.springs(process, { ...silent, begins: true }, 'answer', store)).toBe('crash_before');
  });

  it('takes the broker away when a change has announced something, whose answer still comes', () => {
    const outages = lyingIn({ where: 'announcements', change: 1, fate: { ...loss, port: broker } });
    expect(outages.springs(process, announced, 'answer', store)).toBeUndefined();
    expect(outages.heldUntil(process, broker, 'to')).toBe(timeline.time + 5_000);
    expect(outages.heldUntil(process, store, 'to')).toBe(0);
  });

  it.each([
    [false, 'delay'],
    [true, 'cut'],
  ])('takes the store away with the change on its way (its connection breaks: %s)', (breaks, becomes) => {
    const fate = { ...loss, port: store, at: 'request', breaks } as const;
    const outages = lyingIn({ where: 'operations', change: 1, fate });
    expect(outages.springs(process, silent, 'request', store)).toBe(becomes);
    expect(outages.heldUntil(process, store, 'to')).toBe(timeline.time + 5_000);
  });
});

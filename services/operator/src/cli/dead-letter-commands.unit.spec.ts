/** What the off-line commands about dead letters say when no broker can be asked. */
import type { OfflineWork } from '@platform/durable/investigation';
import { createManualClock, createSequentialIds } from '@platform/kernel';
import { isReadBy } from '@platform/messaging';
import { createFakeStore } from '@platform/mongo/testing';
import { foundLetter } from '../dead-letters/domain/dead-letter';
import { deadLettersCollection } from '../dead-letters/store/dead-letters';
import { runDeadLetterCommand } from './dead-letter-commands';

jest.mock('@platform/durable/executors', () => ({
  openOffLineRequester: async () => ({
    problem: 'The broker refuses the sign-on.',
    storedMessages: () => Promise.reject(new Error('refused')),
    close: async () => undefined,
  }),
}));

it.each(['show', 'redrive'] as const)('%s says why the broker cannot be asked, and does nothing', async (kind) => {
  const clock = createManualClock();
  const store = createFakeStore({ clock, ids: createSequentialIds() });
  const letters = store.collection(deadLettersCollection);
  const letter = {
    sequence: 3,
    subject: 'dead_letter.TENANT_RECEIPTS.lifecycle-delivery',
    headers: { 'dead-letter-subject': 'tenant.receipt.storage', 'dead-letter-reason': 'no such delivery' },
    text: '{}',
    publishedAt: clock.now(),
  };
  await letters.insert(foundLetter(letter, isReadBy));
  const complaints: string[] = [];
  const terminal = { print: () => undefined, complain: (text: string) => (complaints.push(text), 1) };
  const people = { personOf: async () => ({ id: 'ann', email: 'ann@example.com' }) };
  const work = { store, clock, terminal, people } as unknown as OfflineWork;
  const by = { email: undefined, tokenFile: undefined };
  const asked = { kind, letter: '3', by, yes: true };
  expect(await runDeadLetterCommand(asked, work)).toBe(kind === 'show' ? 0 : 1);
  expect(complaints[0]).toBe('The broker refuses the sign-on.');
  expect((await letters.find({}, { sort: { _id: 1 }, limit: 1 }))[0]?.status).toBe('open');
});

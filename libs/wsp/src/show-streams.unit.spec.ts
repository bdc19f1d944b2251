/** What `wsp streams` says of readers: who reads now, who does not, and which streams have none by design. */
import { describeStreams } from './show-streams';

const stored = { subjects: [], messages: 4, bytes: 900, firstSequence: 1, lastSequence: 4, replicas: 3 };
const durable = (name: string, waiting: number, ackPending: number) => ({
  ...{ durable: name, waiting, ackPending },
  ...{ pending: 2, redelivered: 0 },
});

describe('the streams in lines', () => {
  it('say which reader does not read now, and that a stream without readers is stored', () => {
    const lines = describeStreams({
      streams: [
        {
          ...{ stream: 'TENANT_LIFECYCLE', ...stored },
          durables: [durable('billing', 1, 0), durable('search', 0, 1), durable('storage', 0, 0)],
        },
        { stream: 'MIGRATIONS', ...stored, durables: [] },
      ],
      ...{ outbox: [], unavailable: [] },
    }).split('\n');
    const cells = (name: string) =>
      lines
        .find((line) => line.includes(name))
        ?.trim()
        .split(/ {2,}/);
    expect(cells('billing')).toEqual(['TENANT_LIFECYCLE', '4', '900', '3', 'billing', 'listening', '2', '0', '0']);
    expect(cells('search')).toEqual(['search', 'working', '2', '1', '0']);
    expect(cells('storage')).toEqual(['storage', 'no reader now', '2', '0', '0']);
    expect(cells('MIGRATIONS')).toEqual(['MIGRATIONS', '4', '900', '3', 'no reader', 'stored']);
  });
});

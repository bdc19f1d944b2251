/**
 * Law-breaking builds of the readiness that all services share. Each build omits one part, and the check that passes
 * the correct build must detect each omission.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createManualClock, silentLog } from '@platform/kernel';
import { platformTopology } from '@platform/messaging';
import { createFakeBroker } from '@platform/messaging/testing';
import { createFakeStore, type FakeStore } from '@platform/mongo/testing';
import { transformSync } from 'esbuild';
import { mutate } from '../../sim/mutants/build-mutants';

type Build = typeof import('../../../libs/durable/src/boot/readiness');

const file = 'libs/durable/src/boot/readiness.ts';
const source = readFileSync(join(__dirname, '../../..', file), 'utf8');

function build(text: string): Build {
  const module = { exports: {} as Build };
  const { code } = transformSync(text, { loader: 'ts', format: 'cjs' });
  new Function('module', 'exports', code)(module, module.exports);
  return module.exports;
}

interface Stage {
  readonly broker: ReturnType<typeof createFakeBroker>;
  readonly store: FakeStore;
}

interface Loss {
  readonly lose: (stage: Stage) => void;
  /** Consumes nothing, so that no idle consumer reports on behalf of the missing part. */
  readonly idle?: boolean;
  readonly withoutStream?: string;
  readonly withoutBuckets?: boolean;
}

const losses: Readonly<Record<string, Loss>> = {
  'a durable': { lose: ({ broker }) => broker.removeDurable('LIFECYCLE_SETTLED', 'operator') },
  'a stream that it only writes': { lose: () => undefined, withoutStream: 'ALERTS' },
  'a bucket that it writes': { lose: () => undefined, withoutBuckets: true },
  'copies of its streams': { lose: ({ broker }) => broker.setCopies({ declared: 1, current: 1 }) },
  'the broker': { lose: ({ broker }) => broker.disconnect('operator'), idle: true },
  'the store': { lose: ({ store }) => store.setAvailable(false) },
};

async function isReady(
  { readinessOf, watchStreams }: Build,
  { lose, idle, withoutStream, withoutBuckets }: Loss,
): Promise<boolean> {
  const clock = createManualClock();
  const whole = platformTopology();
  const topology = {
    ...whole,
    streams: whole.streams.filter(({ name }) => name !== withoutStream),
    buckets: withoutBuckets ? [] : whole.buckets,
  };
  const stage = { broker: createFakeBroker({ clock, topology }), store: createFakeStore({ clock }) };
  const messaging = stage.broker.connect('operator');
  if (!idle)
    await messaging.consume({ stream: 'LIFECYCLE_SETTLED', durable: 'operator' }, async () => ({ kind: 'ack' }));
  stage.broker.setCopies({ declared: 3, current: 3 });
  const streams = watchStreams(messaging, { streams: ['ALERTS'], buckets: ['workspace_access'] }, silentLog, 3);
  lose(stage);
  await streams.look().catch(() => undefined);
  const checks = Object.values(readinessOf({ store: stage.store, messaging, streams }));
  const answers = await Promise.all(checks.map((check) => check().catch(() => 'failed')));
  return answers.every((answer) => answer === undefined);
}

/** The value that a broken build uses instead of the one it found; `undefined` where it names nothing. */
const replacements: Readonly<Record<string, string>> = {
  'readiness-without-store': 'store: async () => undefined',
  'readiness-without-streams': '',
  'readiness-without-buckets': '',
  'readiness-without-copies': '',
};

/** The missing parts despite which a build reports that it is ready. */
async function falselyReady(readiness: Build): Promise<string[]> {
  const found: string[] = [];
  for (const [lost, loss] of Object.entries(losses)) if (await isReady(readiness, loss)) found.push(lost);
  return found;
}

describe('a build whose readiness leaves a part out', () => {
  it('is distinguished from the honest one, which is ready when nothing is lost and at no loss', async () => {
    expect(await isReady(build(source), { lose: () => undefined })).toBe(true);
    expect(await falselyReady(build(source))).toEqual([]);
  });

  it.each([
    ['readiness-without-durables', "messaging.quietConsumers().join(', ') || undefined", ['a durable']],
    [
      'readiness-without-streams',
      '...streams.missing(), ',
      ['a stream that it only writes', 'a bucket that it writes'],
    ],
    ['readiness-without-buckets', '...(await missingBuckets(messaging, buckets))', ['a bucket that it writes']],
    ['readiness-without-copies', ', ...streams.thin()', ['copies of its streams']],
    ['readiness-without-broker', "(messaging.connected() ? undefined : 'not connected')", ['the broker']],
    ['readiness-without-store', 'store: () => store.ping()', ['the store']],
  ])('%s is caught', async (id, find, lost) => {
    const replace = replacements[id] ?? 'undefined';
    const broken = mutate(source, {
      id,
      file,
      breaks: ['I9'],
      what: `ready without ${lost.join(' and ')}`,
      find,
      replace,
    });
    expect(await falselyReady(build(broken))).toEqual(lost);
  });
});

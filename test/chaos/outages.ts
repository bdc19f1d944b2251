/** SIGKILL for one part after the other, lost answers of the provider in between; the order follows the seed. */
import { createRandom } from '@platform/testing';
import type { TwinClient } from '../../infra/local/demo/twin-client';
import type { TestPlatform } from '../support/platform';

const parts = ['operator', 'lifecycle-delivery', 'nats', 'document-store', 'storage-consumer', 'search-index-consumer'] as const;
const downMs = 300;
const faults = ['lose_answer_after', 'lose_answer_before', 'status_500', 'rate_limit'] as const;

export interface OutageOptions {
  readonly platform: TestPlatform;
  readonly twin: TwinClient;
  readonly seed: number;
  readonly seconds: number;
  readonly show: (line: string) => void;
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Returns how often each part was killed and how many provider faults were laid. */
export async function playOutages({ platform, twin, seed, seconds, show }: OutageOptions): Promise<{ kills: Map<string, number>; faultsLaid: number }> {
  const random = createRandom(seed);
  const kills = new Map<string, number>();
  let faultsLaid = 0;
  const end = Date.now() + seconds * 1_000;
  while (Date.now() < end) {
    await pause(800 + random.below(1_500));
    if (random.below(2) === 0) {
      await twin.addFault({ match: { method: 'POST', path: '/v1/customers/*/balance_transactions' }, fault: random.pick(faults), times: 1 });
      faultsLaid += 1;
    }
    const part = random.pick(parts);
    kills.set(part, (kills.get(part) ?? 0) + 1);
    show(`  SIGKILL ${part}`);
    await platform.kill(part);
    await pause(downMs);
    await platform.restart(part);
  }
  await twin.removeFaults();
  return { kills, faultsLaid };
}

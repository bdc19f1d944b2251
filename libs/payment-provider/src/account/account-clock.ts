/** The time of an account: the provider's test clocks, one for each customer. */
import { setTimeout as delay } from 'node:timers/promises';
import type { AccountApi } from './account-api';

export interface AccountTime {
  /** A clock for one new customer: its id, or undefined when the whole provider has one clock. */
  begin(name: string): Promise<string | undefined>;
  /** Resolves when everything that falls due on the way has happened. */
  advance(clock: string | undefined, seconds: number): Promise<void>;
  /** Removes the clocks; at the provider their customers are removed with them. */
  close(): Promise<void>;
}

interface TestClock {
  readonly id: string;
  readonly status: 'ready' | 'advancing' | 'internal_failure';
  readonly frozen_time: number;
}

const path = '/v1/test_helpers/test_clocks';
const patience = { tries: 150, pauseMs: 1_000 };

/** `now` in milliseconds. */
export function testClocks(
  api: AccountApi,
  now: () => number,
  pause: (ms: number) => Promise<void> = delay,
): AccountTime {
  const made: string[] = [];
  const untilReady = async (id: string): Promise<TestClock> => {
    for (let tries = 0; tries < patience.tries; tries += 1) {
      const clock = await api.ask<TestClock>('GET', `${path}/${id}`);
      if (clock.status === 'ready') return clock;
      if (clock.status === 'internal_failure') throw new Error(`the provider could not advance the clock ${id}`);
      await pause(patience.pauseMs);
    }
    throw new Error(`the clock ${id} did not arrive within ${patience.tries} s`);
  };
  return {
    async begin(name) {
      const { id } = await api.ask<TestClock>('POST', path, { frozen_time: Math.floor(now() / 1_000), name });
      made.push(id);
      return id;
    },
    async advance(clock, seconds) {
      if (clock === undefined) throw new Error('the customer has no clock');
      const { frozen_time: from } = await untilReady(clock);
      await api.ask('POST', `${path}/${clock}/advance`, { frozen_time: from + seconds });
      await untilReady(clock);
    },
    close: async () => {
      for (const id of made.splice(0)) await api.ask('DELETE', `${path}/${id}`);
    },
  };
}

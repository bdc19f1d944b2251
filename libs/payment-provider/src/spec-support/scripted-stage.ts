/** The adapter against a server whose answers a test writes; new for every test of a file that uses it. */
import type { Log } from '@platform/kernel';
import type { EffectOf } from '../effects';
import type { ProviderBalanceTransaction } from '../objects';
import type { PreparedCall } from '../port';
import type { StripeProvider } from '../stripe/opened-provider';
import { createStripeProvider } from '../stripe/stripe-provider';
import { startScriptedServer, type ScriptedServer } from './scripted-server';

export const secretKey = 'sk_test_canary_4242424242424242';
export const intent = { operationId: 'op-12345678' };
export const credit: EffectOf<'balance_credit'> = {
  step: 'balance_credit',
  customerId: 'cus_a',
  amountCents: 500,
  currency: 'usd',
  description: 'goodwill (Ärger!)',
};
export const transaction = {
  id: 'cbtxn_1',
  object: 'customer_balance_transaction',
  customer: 'cus_a',
  amount: -500,
  currency: 'usd',
  ending_balance: -500,
  created: 1_700_000_000,
  metadata: { operationId: 'op-12345678' },
};
export const refusal = (type: string, more: Record<string, unknown> = {}) => ({
  error: { type, message: `${secretKey} card 4000056655665556`, ...more },
});

export interface Stage {
  server: ScriptedServer;
  provider: StripeProvider;
  /** Everything that the adapter has logged. */
  logged: unknown[];
  credit(): PreparedCall<ProviderBalanceTransaction>;
  /** Replaces the provider by another adapter. */
  reopen(url: string, timeoutMs?: number): void;
}

export function setStage(): Stage {
  const stage: Partial<Stage> = {};
  const set = stage as Stage;

  function open(url: string, timeoutMs = 60_000): StripeProvider {
    const keep = (fields: unknown, message: string) => void set.logged.push(fields, message);
    const log: Log = { debug: keep, info: keep, warn: keep, error: keep };
    return createStripeProvider({ secretKey, apiBase: url, timeoutMs, log });
  }

  beforeEach(async () => {
    const server = await startScriptedServer();
    Object.assign(stage, { server, logged: [], provider: open(server.url) });
  });
  afterEach(async () => {
    set.provider.close();
    await set.server.close();
  });
  return Object.assign(set, {
    credit: () => set.provider.prepare(intent, credit),
    reopen(url: string, timeoutMs?: number) {
      set.provider.close();
      set.provider = open(url, timeoutMs);
    },
  });
}

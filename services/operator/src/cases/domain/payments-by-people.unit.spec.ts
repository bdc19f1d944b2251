/** Where the confirmed call only asks a person to pay, or prepares another one, it is no proof that money moved. */
import type { Evidence, OperationView, ProviderCallView } from '@platform/contracts-operator';
import { call, evidence } from '../testing/operation-evidence';
import { moneyVerdict } from './operation-verdict';

const answered = call({ outcome: 'succeeded', phase: 'response_read', httpStatus: 200 });
const away: Evidence['provider'] = { source: 'unavailable', objects: [], problem: 'time-out' };

describe('did money move where a person pays', () => {
  const opened = call({ ...answered, step: 'create_session', objectId: 'cs_1' });
  const page = (status: string, paymentStatus: string): Evidence['provider'] => ({
    source: 'answered',
    objects: [{ kind: 'checkout_session', id: 'cs_1', step: 'create_session', summary: { status, paymentStatus } }],
  });
  it.each<[OperationView['status'], ProviderCallView, Evidence['provider'], string]>([
    ['awaiting_receipts', opened, page('open', 'unpaid'), 'did_not_move'],
    ['awaiting_receipts', opened, page('expired', 'unpaid'), 'did_not_move'],
    ['awaiting_receipts', opened, page('complete', 'unpaid'), 'not_known'],
    ['succeeded', opened, page('complete', 'paid'), 'moved'],
    ['succeeded', opened, page('complete', 'no_payment_required'), 'did_not_move'],
    ['awaiting_receipts', opened, away, 'not_known'],
    ['failed', opened, page('expired', 'unpaid'), 'did_not_move'],
    ['reconciliation_required', { ...opened, outcome: 'unknown' }, page('open', 'unpaid'), 'did_not_move'],
  ])('on the page of a checkout: %s, %j, %j', (status, sent, provider, answer) => {
    const verdict = moneyVerdict(evidence({ action: 'checkout', status, calls: [sent], provider }));
    expect(verdict.answer).toBe(answer);
    expect(verdict.because).not.toMatch(/no_payment_required|create_session/);
  });

  it.each<[OperationView['status'], string]>([
    ['awaiting_payment', 'not_known'],
    ['failed', 'did_not_move'],
    ['succeeded', 'moved'],
  ])('by a card whose holder confirms an upgrade: %s', (status, answer) => {
    const calls = [call({ ...answered, step: 'upgrade' })];
    expect(moneyVerdict(evidence({ action: 'upgrade_plan', status, calls })).answer).toBe(answer);
  });
});

it('is not said of the customer that a checkout made first', () => {
  const made = call({ ...answered, step: 'create_customer' });
  const provider: Evidence['provider'] = {
    source: 'answered',
    objects: [{ kind: 'customer', id: 'cus_1', step: 'create_customer', summary: {} }],
  };
  for (const sent of [made, { ...made, outcome: 'unknown' as const }]) {
    const file = evidence({ action: 'checkout', status: 'reconciliation_required', calls: [sent], provider });
    expect(moneyVerdict(file).answer).toBe('did_not_move');
  }
});

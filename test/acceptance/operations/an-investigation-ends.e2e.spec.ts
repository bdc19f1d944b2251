/** `npm run ops` on a running platform: the work queue, one record, its case file, and the recorded end of an investigation. */
import type { AdminState, ProposalView } from '@platform/contracts-operator';
import { eventually } from '@platform/testing';
import type { GatewayClient } from '../../../infra/local/demo/gateway-client';
import { createTwinClient, type TwinClient } from '../../../infra/local/demo/twin-client';
import { createPatientClient } from '../../../infra/local/demo/patient-client';
import { offLineEnvironment } from '../../support/platform';
import { sharedPlatform, type SharedPlatform } from '../../support/shared-platform';
import { runProgram } from '../../support/run-program';

/** A workspace that only this suite uses; other suites of the platform resolve what they leave unresolved. */
const tenantId = 'investigated';
const early = 'investigated-early';
const working = 'investigated-working';
const proposed = 'investigated-proposed';

let platform: SharedPlatform;
let gateway: GatewayClient;
let twin: TwinClient;

beforeAll(async () => {
  platform = await sharedPlatform();
  await platform.seed([
    { tenantId, planId: 'starter' },
    { tenantId: early, planId: 'starter' },
    { tenantId: working, planId: 'starter' },
    { tenantId: proposed, planId: 'starter' },
  ]);
  gateway = createPatientClient(platform.gatewayUrl, await platform.token({ role: 'platform_owner' }));
  twin = createTwinClient(platform.twinUrl);
});

/** With `typed` the command has a terminal into which these words are typed; otherwise it has none. */
async function ops(args: readonly string[], typed?: string) {
  const environment = offLineEnvironment(platform);
  const program = ['infra/local/ops.mjs', ...args];
  const quoted = [process.execPath, ...program].map((word) => `'${word}'`).join(' ');
  const { status, stdout, stderr } = await (typed === undefined
    ? runProgram(program, { env: environment })
    : runProgram(['-qec', quoted, '/dev/null'], { env: environment, command: 'script', input: typed }));
  return { status, output: `${stdout}${stderr}` };
}

const proofs = [
  '--executor-stopped',
  'the gateway was stopped and its host is gone',
  '--outcome',
  'applied',
  '--provider-object',
  `sub_${tenantId}`,
  '--by',
  'ops@example.com',
];

describe('an investigation', () => {
  it('that finds nothing waits until no request can be on its way: ten minutes of the provider', async () => {
    await twin.addFault({
      match: { method: 'POST', path: `/v1/subscriptions/sub_${early}` },
      fault: 'lose_answer_before',
      times: 1,
    });
    const suspended = await gateway.post(`/api/saas/workspaces/${early}/suspend`, { operationId: 'op-e2e-early-1' });
    expect(suspended.status).toBe(502);
    const words = [
      'resolve',
      'operation',
      'op-e2e-early-1',
      '--executor-stopped',
      'the gateway wrote down its end',
      '--outcome',
      'not_applied',
      '--provider-object',
      'none',
      '--by',
      'ops@example.com',
      '--yes',
    ];
    expect(await ops(words)).toMatchObject({ status: 3, output: expect.stringMatching(/^late_effect_possible: /m) });
    await twin.advance(600);
    expect(await ops(words)).toMatchObject({ status: 0, output: expect.stringContaining('is failed') });
  });

  it('is refused while its executor answers that it is at work, and belongs to the executor then', async () => {
    const path = `/v1/subscriptions/sub_${working}`;
    const held = await twin.addFault({ match: { method: 'POST', path }, fault: 'hold', times: 1 });
    const suspending = gateway.post(`/api/saas/workspaces/${working}/suspend`, { operationId: 'op-e2e-working-1' });
    await eventually(async () => (await gateway.operation(working, 'op-e2e-working-1')).status === 'running', {
      describe: 'the suspension under way',
    });
    const words = ['resolve', 'operation', 'op-e2e-working-1', ...proofs, '--yes'];
    expect(await ops(words)).toMatchObject({
      status: 3,
      output: expect.stringMatching(/^resolution_contradicted: .*answered just now: the work is under way in it/m),
    });
    await twin.release(held);
    expect((await suspending).status).toBeLessThan(300);
  });

  it('is proposed by one person, approved by a second, and applied off-line', async () => {
    const path = `/v1/subscriptions/sub_${proposed}`;
    await twin.addFault({ match: { method: 'POST', path }, fault: 'lose_answer_after', times: 1 });
    const operationId = 'op-e2e-proposed-1';
    expect((await gateway.post(`/api/saas/workspaces/${proposed}/suspend`, { operationId })).status).toBe(502);
    const second = createPatientClient(
      platform.gatewayUrl,
      await platform.token({ role: 'platform_owner', email: 'second@example.com' }),
    );
    const made = await gateway.post<ProposalView>('/api/saas/proposals', {
      kind: 'operation',
      id: operationId,
      executorStopped: 'the gateway wrote down its end',
      outcome: 'applied',
      providerObject: `sub_${proposed}`,
    });
    expect(made.status).toBe(201);
    const { digest, proposal } = made.body as ProposalView;
    const { proposalId } = proposal.statement;
    const approval = `/api/saas/proposals/${proposalId}/approval`;
    expect((await gateway.post(approval, { proposal: digest })).status).toBe(403);
    const apply = ['resolve', 'operation', operationId, '--proposal', proposalId, '--by', 'third@example.com', '--yes'];
    expect(await ops(apply)).toMatchObject({ status: 1, output: expect.stringContaining('It is not approved') });
    expect((await second.post(approval, { proposal: digest })).status).toBe(200);
    expect((await gateway.operation(proposed, operationId)).status).toBe('reconciliation_required');
    expect(await ops([...apply, '--outcome', 'applied'])).toMatchObject({ status: 2 });
    expect(await ops(apply)).toMatchObject({ status: 0, output: expect.stringContaining('is succeeded') });
    expect(await gateway.operation(proposed, operationId)).toMatchObject({
      status: 'succeeded',
      resolution: {
        proposal: { id: proposalId, digest, approvedBy: 'second@example.com', appliedBy: 'third@example.com' },
      },
    });
  });

  it('begins at the work queue and ends with a record that demands both proofs', async () => {
    await twin.addFault({
      match: { method: 'POST', path: `/v1/subscriptions/sub_${tenantId}` },
      fault: 'lose_answer_after',
      times: 1,
    });
    expect(
      (await gateway.post(`/api/saas/workspaces/${tenantId}/suspend`, { operationId: 'op-e2e-investigate' })).status,
    ).toBe(502);

    expect((await ops(['list'])).output).toMatch(/op-e2e-investigate +investigated +suspend +reconciliation_required/);
    expect((await ops(['show', 'operation', 'op-e2e-investigate'])).output).toMatch(
      /pause_collection +unknown +bytes_written/,
    );
    const file = JSON.parse((await ops(['evidence', 'operation', 'op-e2e-investigate'])).output) as {
      provider: { source: string; objects: unknown[] };
      notProven: string[];
    };
    expect(file.provider).toMatchObject({
      source: 'answered',
      objects: [{ kind: 'subscription', id: `sub_${tenantId}` }],
    });
    expect(file.notProven.join()).toContain('does not prove quiescence');

    expect(
      await ops([
        'resolve',
        'operation',
        'op-e2e-investigate',
        '--outcome',
        'applied',
        '--provider-object',
        `sub_${tenantId}`,
        '--by',
        'ops@example.com',
        '--yes',
      ]),
    ).toMatchObject({ status: 1, output: expect.stringContaining('first proof is missing') });
    expect(await ops(['resolve', 'operation', 'op-e2e-investigate', ...proofs], 'no\n')).toMatchObject({
      status: 1,
      output: expect.stringContaining('Nothing was written'),
    });
    expect(await ops(['resolve', 'operation', 'op-e2e-investigate', ...proofs])).toEqual({
      status: 2,
      output: 'ops: there is no terminal to confirm in, and --yes is not given; --help lists the options\n',
    });
    const against = [...proofs.filter((word) => word !== 'applied' && word !== `sub_${tenantId}`)];
    against.splice(against.indexOf('--outcome') + 1, 0, 'not_applied');
    against.splice(against.indexOf('--provider-object') + 1, 0, 'none');
    expect(await ops(['resolve', 'operation', 'op-e2e-investigate', ...against, '--yes'])).toMatchObject({
      status: 3,
      output: expect.stringMatching(/resolution_contradicted: .*shows subscription sub_investigated/),
    });
    expect(
      await ops([
        'resolve',
        'operation',
        'op-e2e-investigate',
        ...against,
        '--override',
        'the dashboard says otherwise',
        '--approved-by',
        'ops@example.com',
        '--yes',
      ]),
    ).toMatchObject({ status: 1, output: expect.stringContaining('needs a second person') });
    const effects = (await twin.effects('op-e2e-investigate')).length;
    const resolved = await ops(['resolve', 'operation', 'op-e2e-investigate', ...proofs], 'op-e2e-investigate\n');
    expect(resolved).toMatchObject({ status: 0, output: expect.stringContaining('is succeeded') });

    expect(await gateway.operation(tenantId, 'op-e2e-investigate')).toMatchObject({
      status: 'succeeded',
      resolution: { by: 'ops@example.com' },
    });
    expect((await gateway.get<AdminState>(`/api/saas/workspaces/${tenantId}/admin-state`)).body).toMatchObject({
      status: 'suspended',
      access: { state: 'closed' },
    });
    expect((await twin.effects('op-e2e-investigate')).length).toBe(effects);
    expect(await ops(['resolve', 'operation', 'op-e2e-investigate', ...proofs, '--yes'])).toMatchObject({
      status: 1,
      output: expect.stringContaining('nothing to resolve'),
    });
    // Another suite may be about to resolve its own record.
    await eventually(async () => (await ops(['list'])).output.includes('No operation is reconciliation_required'), {
      describe: 'an empty list of operations to investigate',
    });
  });
});

/**
 * `npm run chaos -- [--seconds 30] [--seed N] [--clients 6]`: the whole platform as processes under load, its parts
 * killed one after the other, provider answers lost; afterwards the one history checker reads what is left. The seed
 * fixes load and outages, not the timing between processes.
 */
import { parseArgs } from 'node:util';
import { checkableInvariants, checkHistory, formatViolations, type Evidence } from '@platform/testing';
import { createGatewayClient } from '../../infra/local/demo/gateway-client';
import { createTwinClient } from '../../infra/local/demo/twin-client';
import { startPlatform } from '../support/platform';
import { gatherEvidence, untilQuiet } from './gather-evidence';
import { startLoad, type ToldAnswer } from './load';
import { playOutages } from './outages';

const portBase = 14_000;
const tenantIds = ['acme', 'globex', 'initech'];

function show(line: string): void {
  process.stdout.write(`${line}\n`);
}

function tally(values: Iterable<string>): string {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([value, count]) => `${value} ${count}`).join(', ');
}

function report(evidence: Evidence, answers: readonly ToldAnswer[]): number {
  const violations = formatViolations(checkHistory(evidence));
  show(`\nanswers:    ${tally(answers.map(({ status, code }) => (status === 0 ? 'lost' : `${status}${code ? ` ${code}` : ''}`)))}`);
  show(`operations: ${tally(evidence.operations.map(({ action, status }) => `${action} ${status}`))}`);
  show(`effects:    ${evidence.ledger.length}; deliveries: ${evidence.deliveries.length}; alerts: ${evidence.alerts.length}`);
  show(`checked:    ${checkableInvariants(evidence).join(' ')}`);
  show(`violations: ${violations.length}`);
  violations.forEach((line) => show(`  ${line}`));
  return evidence.operations.length > 0 && violations.length === 0 ? 0 : 1;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { seconds: { type: 'string', default: '30' }, seed: { type: 'string', default: String(Date.now() % 100_000) }, clients: { type: 'string', default: '6' } },
  });
  const [seconds, seed, clients] = [Number(values.seconds), Number(values.seed), Number(values.clients)];
  if (![seconds, seed, clients].every((value) => Number.isInteger(value) && value > 0)) throw new Error('--seconds, --seed and --clients are whole numbers above 0');
  show(`chaos for ${seconds} s with ${clients} clients, --seed ${seed}`);
  const platform = await startPlatform({ portBase });
  try {
    const gateway = createGatewayClient(platform.gatewayUrl, await platform.token({ role: 'platform_owner' }));
    const load = startLoad({ gateway, tenantIds, clients, seed });
    const { kills, faultsLaid } = await playOutages({ platform, twin: createTwinClient(platform.twinUrl), seed, seconds, show });
    await load.stop();
    await untilQuiet(gateway);
    show(`\nkills: ${[...kills].map(([part, count]) => `${part} ${count}`).join(', ')}; provider faults: ${faultsLaid}`);
    return report(await gatherEvidence(platform, gateway, load.answers), load.answers);
  } finally {
    await platform.stop();
  }
}

main().then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exitCode = 1;
  },
);

/**
 * What each kind of operation costs through the gateway, at three widths: suspension and reactivation to the receipts of
 * two consumers, an upgrade that is paid, a checkout, and the creation of a workspace, beside the credit.
 */
import { startPlatform } from '../support/platform';
import {
  addWorkspaces,
  changes,
  checkouts,
  creations,
  credits,
  measure,
  parts,
  type Cost,
  type Perform,
  type Stage,
} from './actions-work';
import { progress, type BenchReport } from './report';

const widths = [
  { inFlight: 1, total: 60 },
  { inFlight: 32, total: 320 },
  { inFlight: 256, total: 512 },
] as const;
/** Operations of each kind before the measurement. */
const warmUp = 64;

/** Begins a kind at one width; `label` is part of the ids. */
type Kind = readonly [name: string, begin: (stage: Stage, label: string, total: number) => Promise<Perform>];

/** Suspended and reactivated again, so that both have the same workspaces. */
const suspended = new Map<string, readonly string[]>();

const kinds: readonly Kind[] = [
  ['credit', (stage, label) => credits(stage, `credit-${label}`)],
  [
    'suspend, with two receipts',
    async (stage, label, total) => {
      const ids = await addWorkspaces(stage.platform, `held-${label}`, total, 'starter');
      suspended.set(label, ids);
      return changes(stage, ids, 'suspend');
    },
  ],
  ['reactivate, with two receipts', (stage, label) => changes(stage, suspended.get(label)!, 'reactivate')],
  [
    'upgrade, paid',
    async (stage, label, total) =>
      changes(stage, await addWorkspaces(stage.platform, `grown-${label}`, total, 'starter'), 'upgrade', {
        planId: 'pro',
      }),
  ],
  [
    'checkout, up to its page',
    async (stage, label, total) =>
      checkouts(stage, await addWorkspaces(stage.platform, `free-${label}`, total, 'free')),
  ],
  ['creation, paid', (stage, _label, total) => creations(stage, total)],
];

const rowOf = (name: string, inFlight: number, { perSecond, p50Ms, p99Ms, cpuMs }: Cost): string[] => [
  name,
  String(inFlight),
  perSecond.toFixed(0),
  p50Ms.toFixed(1),
  p99Ms.toFixed(1),
  ...parts.map((part) => cpuMs[part]!.toFixed(2)),
];

/** Throws when an operation does not succeed. */
export async function benchActions(): Promise<BenchReport> {
  const platform = await startPlatform({ without: ['query-builder'] });
  const stage: Stage = { platform, gateways: [platform.gatewayUrl] };
  try {
    const rows: string[][] = [];
    for (const [name, begin] of kinds) {
      await measure(stage, 32, warmUp, await begin(stage, 'warm', warmUp));
      for (const { inFlight, total } of widths) {
        progress(`${name}, ${inFlight} in flight`);
        const perform = await begin(stage, String(inFlight), total);
        rows.push(rowOf(name, inFlight, await measure(stage, inFlight, total, perform)));
      }
    }
    return {
      title: 'actions: what each kind of operation costs',
      head: ['operation', 'in flight', 'per second', 'p50 ms', 'p99 ms', ...parts.map((part) => `${part} CPU ms`)],
      rows,
      notes: [
        'One local platform without the page host, on the embedded document store and the provider twin. A suspension, a reactivation and a creation are answered when both consumers have given their receipts. CPU: milliseconds per operation, as the kernel counts them, with the events, deliveries and mirrors that follow within 1.5 s; with one in flight the work of each part at rest is in it. Steps in a row, statements and requests to the provider of each action are held by `services/operator/src/operations/workflows/round-trips.unit.spec.ts`.',
      ],
    };
  } finally {
    await platform.stop();
  }
}

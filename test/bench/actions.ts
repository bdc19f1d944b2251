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
  { inFlight: 32, total: 128 },
  { inFlight: 256, total: 256 },
] as const;
/** Operations of each kind before the measurement. */
const warmUp = 32;

/** Workspaces of one width, by what will be done to them. */
interface Seeded {
  readonly held: readonly string[];
  readonly grown: readonly string[];
  readonly free: readonly string[];
}

/** Begins a kind at one width; `label` is part of the ids. */
type Kind = readonly [
  name: string,
  begin: (stage: Stage, label: string, seeded: Seeded, total: number) => Promise<Perform>,
];

const kinds: readonly Kind[] = [
  ['credit', (stage, label) => credits(stage, `credit-${label}`)],
  ['suspend, with two receipts', (stage, _label, { held }) => changes(stage, held, 'suspend')],
  ['reactivate, with two receipts', (stage, _label, { held }) => changes(stage, held, 'reactivate')],
  ['upgrade, paid', (stage, _label, { grown }) => changes(stage, grown, 'upgrade', { planId: 'pro' })],
  ['checkout, up to its page', (stage, _label, { free }) => checkouts(stage, free)],
  ['creation, paid', (stage, _label, _seeded, total) => creations(stage, total)],
];

const warm = { label: 'warm', inFlight: 32, total: warmUp };
const measured = widths.map(({ inFlight, total }) => ({ label: String(inFlight), inFlight, total }));

/** All workspaces are there before the first measurement, so that none of them is made beside one. */
async function seedAll(stage: Stage): Promise<ReadonlyMap<string, Seeded>> {
  const seeded = new Map<string, Seeded>();
  for (const { label, total } of [warm, ...measured]) {
    progress(`workspaces for ${label === warm.label ? 'the warm-up' : `${label} in flight`}`);
    const add = (prefix: string, planId: string) => addWorkspaces(stage.platform, `${prefix}-${label}`, total, planId);
    seeded.set(label, {
      held: await add('held', 'starter'),
      grown: await add('grown', 'starter'),
      free: await add('free', 'free'),
    });
  }
  return seeded;
}

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
    const seeded = await seedAll(stage);
    for (const [name, begin] of kinds) {
      const run = async ({
        label,
        inFlight,
        total,
      }: {
        readonly label: string;
        readonly inFlight: number;
        readonly total: number;
      }): Promise<Cost> => measure(stage, inFlight, total, await begin(stage, label, seeded.get(label)!, total));
      await run(warm);
      for (const each of measured) {
        progress(`${name}, ${each.label} in flight`);
        rows.push(rowOf(name, each.inFlight, await run(each)));
      }
    }
    return {
      title: 'actions: what each kind of operation costs',
      head: ['operation', 'in flight', 'per second', 'p50 ms', 'p99 ms', ...parts.map((part) => `${part} CPU ms`)],
      rows,
      notes: [
        'One local platform without the page host, on the embedded document store and the provider twin. A suspension, a reactivation and a creation are answered when both consumers have given their receipts. CPU: milliseconds per operation, as the kernel counts them, with the events, deliveries and mirrors that follow; with one in flight the work of each part at rest is in it. Steps in a row, statements and requests to the provider of each action are held by `services/operator/src/operations/workflows/round-trips.unit.spec.ts`.',
      ],
    };
  } finally {
    await platform.stop();
  }
}

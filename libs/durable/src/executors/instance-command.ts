/**
 * `npm run ops -- instance gone <instance>`: a person records the proof that the processes of an instance are gone. It
 * ends no work and takes nothing over; cases name the proof from then on. A process that answers contradicts the proof.
 */
import { exitCodes, Misuse } from '@platform/command-line';
import type { Clock } from '@platform/kernel';
import { declareGone, openBoots, type IncarnationRecords } from '@platform/service-host';
import type { Claimed, People } from '../investigation/people';
import type { AskExecutors } from './ask-executors';
import { noBootOpen } from './options.cjs';

export interface InstanceGone {
  readonly service: string;
  readonly instance: string;
  /** How the person knows. */
  readonly proof: string;
  /** The person who claims to answer for it; a token proves it. */
  readonly by: Claimed;
  /** Skips the confirmation. */
  readonly yes: boolean;
}

export interface InstancePorts {
  readonly boots: IncarnationRecords;
  readonly ask: AskExecutors;
  /** The database's clock, by which the trails add resolutions. */
  readonly clock: Clock;
  readonly people: People;
  readonly terminal: {
    print(text: string): void;
    complain(text: string): number;
    confirmed(id: string, what?: string): Promise<boolean>;
  };
}

/** Decodes the command line. Throws `Misuse`. */
export function instanceGoneOf(
  service: string,
  instance: string,
  {
    proof = '',
    by: email,
    'token-file': tokenFile,
    yes,
  }: {
    readonly proof?: string | undefined;
    readonly by?: string | undefined;
    readonly 'token-file'?: string | undefined;
    readonly yes: boolean;
  },
): InstanceGone {
  if (proof.trim().length < shortestProof)
    throw new Misuse(`--proof says how you know it, in ${shortestProof} characters or more`);
  return { service, instance, proof: proof.trim(), by: { email, tokenFile }, yes };
}

const shortestProof = 10;

/** Answers which mean that the process is alive. */
const answering: ReadonlySet<string> = new Set(['alive', 'not_under_way']);

/**
 * Returns the exit code: 0 recorded, `noBootOpen` nothing to record, 3 contradicted by an answer. Throws what the store throws,
 * and `Misuse` for a person without a valid token.
 */
export async function recordInstanceGone(
  { boots, ask, clock, people, terminal: { print, complain, confirmed } }: InstancePorts,
  { service, instance, proof, by: claimed, yes }: InstanceGone,
): Promise<number> {
  const { email: by } = await people.personOf(claimed, '--token-file');
  const open = await openBoots(boots, service, instance);
  if (open.length === 0) {
    complain(`No boot of ${instance} is open in ${service}: each has written its end or was declared gone.`);
    return noBootOpen;
  }
  const known = await ask(
    open.map(({ _id: incarnation }) => ({ key: '', executor: { service, instance, incarnation } })),
  );
  const alive = open.filter((_boot, at) => answering.has(known[at]!.state));
  if (alive.length > 0) {
    complain(`resolution_contradicted: ${alive.map(({ _id }) => _id).join(', ')} of ${instance} answered just now.`);
    return exitCodes.negative;
  }
  for (const [at, { _id, startedAt }] of open.entries())
    print(`${_id}  started ${startedAt.toISOString()}  last heard of ${known[at]!.lastHeardOf ?? 'never'}`);
  print(`\nWill be written, once and for good: ${open.length} boots of ${instance} are gone: “${proof}” (${by}).`);
  if (!yes && !(await confirmed(instance, 'instance'))) return complain('Nothing was written.');
  await declareGone(boots, open, { by, proof, at: clock.now() });
  print(
    `Recorded. ${open.length} boots of ${instance} are declared gone. Work that they left is still to be resolved.`,
  );
  return exitCodes.done;
}

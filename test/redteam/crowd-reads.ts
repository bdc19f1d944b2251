/**
 * One caller sends so many reads at once that the gateway refuses some of them; in their midst another caller sends a
 * few. Whose reads are refused shows whether each caller has a share of its own, at any speed of the machine.
 */
import { Agent } from 'node:http';
import { createSender } from './send';

export interface CrowdOptions {
  readonly url: string;
  readonly path: string;
  /**
   * Reads of the first caller in a crowd; more than the gateway takes while it does not know how long they last. Crowds
   * that are not refused anything grow, up to three times this number, which must be less than the connections that the
   * gateway keeps: one that it closes is neither an answer nor a refusal.
   */
  readonly reads: number;
  /** Crowds with a refusal that are wanted. */
  readonly crowds: number;
  /** Crowds that are sent at most: a slow sender may not fill a fast gateway. */
  readonly crowdsMax: number;
  readonly crowd: Readonly<Record<string, string>>;
  readonly person: Readonly<Record<string, string>>;
}

export interface CrowdReport {
  readonly asked: number;
  readonly answered: number;
  readonly refused: number;
  /** Crowds of which some reads were refused. */
  readonly fullCrowds: number;
  readonly personAsked: number;
  readonly personAnswered: number;
  /** The statuses of the person's reads that were not answered. */
  readonly personRefusals: readonly number[];
}

/** Fewer than a caller may have running before its reads count as many. */
const readsOfPerson = 3;
/** So many crowds in a row without a refusal, and the next ones are larger. */
const patience = 10;
const largest = 3;
/** The crowd's connections come from these addresses in turn, because one address may have fewer than a crowd needs. */
const addresses = ['127.0.0.2', '127.0.0.3', '127.0.0.4'];

export async function crowdReads(options: CrowdOptions): Promise<CrowdReport> {
  const { url, path, reads, crowds, crowdsMax, crowd, person } = options;
  const senders = addresses.map((localAddress) =>
    createSender(url, new Agent({ keepAlive: true, maxSockets: reads, localAddress } as object)),
  );
  const sendPerson = createSender(url, new Agent({ keepAlive: true, maxSockets: readsOfPerson }));
  const counted = { asked: 0, answered: 0, refused: 0, fullCrowds: 0, personAsked: 0, personAnswered: 0 };
  const personRefusals: number[] = [];
  const readAsPerson = async (): Promise<void> => {
    counted.personAsked += 1;
    const { status } = await sendPerson({ method: 'GET', path, headers: person });
    if (status === 200) counted.personAnswered += 1;
    else personRefusals.push(status);
  };
  // The last of the crowd are those that are refused, so the person's reads are among them.
  const isBeside = (at: number, of: number): boolean => of - at <= readsOfPerson * 20 && (of - at) % 20 === 0;
  let inVain = 0;
  for (let sent = 0; sent < crowdsMax && counted.fullCrowds < crowds; sent += 1) {
    const length = reads * Math.min(largest, 1 + Math.floor(inVain / patience));
    const refusedBefore = counted.refused;
    const read = async (at: number): Promise<void> => {
      counted.asked += 1;
      const { status } = await senders[at % senders.length]!({ method: 'GET', path, headers: crowd });
      if (status === 200) counted.answered += 1;
      if (status === 503) counted.refused += 1;
    };
    await Promise.all(
      Array.from({ length }, async (_each, at) => {
        await Promise.all(isBeside(at, length) ? [read(at), readAsPerson()] : [read(at)]);
      }),
    );
    const refused = counted.refused > refusedBefore;
    if (refused) counted.fullCrowds += 1;
    inVain = refused ? 0 : inVain + 1;
  }
  return { ...counted, personRefusals };
}

/** The promises that a report breaks; empty when all hold. */
export function crowdBreachesOf(report: CrowdReport, crowds: number): string[] {
  const { asked, answered, refused, fullCrowds, personAsked, personAnswered, personRefusals } = report;
  const left = asked - answered - refused;
  return [
    ...(left > 0 ? [`${left} reads of a crowd were neither answered nor refused`] : []),
    ...(fullCrowds < crowds ? [`only ${fullCrowds} of ${crowds} crowds were refused anything`] : []),
    ...(personAnswered < personAsked
      ? [`${personAsked - personAnswered} reads beside another caller's crowd got ${personRefusals.join(', ')}`]
      : []),
  ];
}

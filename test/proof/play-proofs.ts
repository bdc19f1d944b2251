/** Plays proofs for a time, and writes the page of results after each part. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { durationText, pageOf, type PageFacts } from './page';
import type { Played, Proof } from './proof';
import type { Results } from './results';
import type { Ended } from './run-part';
import { nextPart, partsOf, type Choice } from './schedule';

export interface PlayPorts {
  readonly results: Results;
  readonly runPart: (choice: Choice, log: string) => Promise<Ended>;
  readonly now: () => Date;
  readonly show: (line: string) => void;
  /** The commit with all that is changed; a result belongs to one commit alone. */
  readonly stateOfTree: () => string;
  readonly interrupted: () => boolean;
  readonly facts: Pick<PageFacts, 'commit' | 'machine' | 'lastLines'>;
}

export interface Limits {
  readonly proofs: readonly Proof[];
  readonly minutes: number;
}

/** The tree is no longer the one that is proven. */
export class ChangedTree extends Error {}

const clock = (at: Date): string => at.toISOString().slice(11, 16);

const logOf = ({ proof, part }: Choice, played: readonly Played[]): string =>
  join(
    'logs',
    `${String(played.length + 1).padStart(3, '0')}-${proof.name}-${part.name.replaceAll(/[^\w.-]+/g, '-')}.log`,
  );

export function writePage({ results, facts }: Pick<PlayPorts, 'results' | 'facts'>, proofs: readonly Proof[]): string {
  const file = join(results.folder, 'page.md');
  writeFileSync(file, pageOf({ ...facts, proofs, played: results.played }));
  return file;
}

async function playPart(ports: PlayPorts, choice: Choice, left: number): Promise<Played> {
  const { results, now, show } = ports;
  const { proof, part } = choice;
  const log = logOf(choice, results.played);
  const startedAt = now();
  show(
    `${clock(startedAt)}  ${proof.name}${part.name === proof.name ? '' : `, ${part.name}`}: about ${durationText(part.needsMinutes)}, ${durationText(left)} left; output in ${join(results.folder, log)}`,
  );
  const { outcome, result } = await ports.runPart(choice, log);
  const minutes = (now().getTime() - startedAt.getTime()) / 60_000;
  show(`       ${outcome} after ${durationText(minutes)}: ${result}`);
  return {
    ...{ proof: proof.name, name: part.name, command: part.command, outcome, result, log },
    startedAt: startedAt.toISOString(),
    minutes,
  };
}

/**
 * Returns when the time is over, when nothing is left that fits into it, or when the run is interrupted.
 * @throws ChangedTree when the tree has changed: what was played meanwhile belongs to no commit and is not kept.
 */
export async function playProofs(ports: PlayPorts, { proofs, minutes }: Limits): Promise<void> {
  const { results, now, stateOfTree } = ports;
  const tree = stateOfTree();
  const endsAt = now().getTime() + minutes * 60_000;
  for (;;) {
    const left = (endsAt - now().getTime()) / 60_000;
    const choice = ports.interrupted() ? undefined : nextPart(proofs, results.played, left);
    if (!choice) return;
    const played = await playPart(ports, choice, left);
    if (stateOfTree() !== tree) throw new ChangedTree('the tree was changed during the run');
    results.add(played);
    writePage(ports, proofs);
  }
}

/** Lines for a terminal: the proofs that still lack a part which does not fit into the time. */
export function leftOver(proofs: readonly Proof[], played: readonly Played[]): readonly string[] {
  return proofs.flatMap((proof) => {
    if (proof.endless) return [];
    const part = proof.next(partsOf(proof, played), Number.POSITIVE_INFINITY);
    return part ? [`${proof.name}: ${part.name} needs about ${durationText(part.needsMinutes)}`] : [];
  });
}

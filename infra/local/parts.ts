/**
 * The parts of the platform on this machine and the order in which they start. A part whose entry is not in the
 * repository is left out, with every part that requires it.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Misuse } from '@platform/command-line';
import { infrastructureParts } from './infrastructure-parts';
import type { Part } from './part';
import { consumerParts, serviceParts } from './service-parts';
import type { LocalSettings } from './settings';

/**
 * Parts to start here, in an order that respects `after`; names in `after` of parts that are not started are dropped.
 * `fresh`: as they are once the data of earlier runs is forgotten.
 */
export function listParts(settings: LocalSettings, fresh = false): Part[] {
  const parts = [...infrastructureParts(settings, fresh), ...serviceParts(settings), ...consumerParts(settings)];
  const present = parts.filter(
    (part) => part.kind === 'nats' || existsSync(join(settings.root, part.command[0] ?? '')),
  );
  const names = new Set(present.map(({ name }) => name));
  return present.map((part) => ({ ...part, after: part.after.filter((name) => names.has(name)) }));
}

export interface Choice {
  /** These parts and all parts that they start after; empty: all. */
  readonly only: readonly string[];
  readonly without: readonly string[];
}

/** The parts that a start requests. Throws for an unknown name. */
export function chooseParts(parts: readonly Part[], { only, without }: Choice): Part[] {
  const known = new Map(parts.map((part) => [part.name, part]));
  const unknown = [...only, ...without].find((name) => !known.has(name));
  if (unknown !== undefined) throw new Misuse(`${unknown} is no part; the parts are ${[...known.keys()].join(', ')}`);
  const chosen = new Set<string>();
  const choose = (name: string): void => {
    if (chosen.has(name) || without.includes(name)) return;
    chosen.add(name);
    known.get(name)?.after.forEach(choose);
  };
  (only.length > 0 ? only : [...known.keys()]).forEach(choose);
  return parts
    .filter(({ name }) => chosen.has(name))
    .map((part) => ({ ...part, after: part.after.filter((name) => chosen.has(name)) }));
}

/** Parts grouped so that each group needs only earlier groups. Throws on a cycle. */
export function layersOf(parts: readonly Part[]): Part[][] {
  const layers: Part[][] = [];
  const placed = new Set<string>();
  let left = [...parts];
  while (left.length > 0) {
    const layer = left.filter((part) => part.after.every((name) => placed.has(name)));
    if (layer.length === 0) throw new Error(`the parts ${left.map(({ name }) => name).join(', ')} wait for each other`);
    layer.forEach(({ name }) => placed.add(name));
    layers.push(layer);
    left = left.filter((part) => !placed.has(part.name));
  }
  return layers;
}

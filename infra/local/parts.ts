/**
 * The parts of the platform on this machine and the order in which they start. A part whose entry is not in the
 * repository is left out, with everything that names it as a must.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { infrastructureParts } from './infrastructure-parts';
import type { Part } from './part';
import { consumerParts, serviceParts } from './service-parts';
import type { LocalSettings } from './settings';

/** Parts to start here, in an order that respects `after`; names of `after` that are not started are dropped. */
export function listParts(settings: LocalSettings): Part[] {
  const parts = [...infrastructureParts(settings), ...serviceParts(settings), ...consumerParts(settings)];
  const present = parts.filter(
    (part) => part.kind === 'nats' || existsSync(join(settings.root, part.command[0] ?? '')),
  );
  const names = new Set(present.map(({ name }) => name));
  return present.map((part) => ({ ...part, after: part.after.filter((name) => names.has(name)) }));
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

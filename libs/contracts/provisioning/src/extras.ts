/**
 * Extras of a creation: whatever the caller wants to tell the provisioning listeners. Opaque to the platform, never
 * stored, never in a stream, never logged; only their size and shape are checked.
 */
import { z } from 'zod';

export const extrasLimits = { bytes: 4_096, keys: 64, levels: 4 } as const;

const prototypeKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** What is wrong with the value, or null. Levels count objects and arrays; keys are counted over all levels. */
export function complaintAboutExtras(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'must be an object';
  let keys = 0;
  const visit = (node: unknown, level: number): string | null => {
    if (typeof node === 'bigint' || typeof node === 'function' || typeof node === 'symbol' || node === undefined)
      return 'must hold JSON only';
    if (typeof node === 'number' && !Number.isFinite(node)) return 'must hold finite numbers only';
    if (typeof node !== 'object' || node === null) return null;
    if (level > extrasLimits.levels) return `must not be deeper than ${extrasLimits.levels} levels`;
    for (const [key, member] of Object.entries(node)) {
      if (prototypeKeys.has(key)) return `must not hold the key ${key}`;
      if (!Array.isArray(node)) keys += 1;
      if (keys > extrasLimits.keys) return `must not hold more than ${extrasLimits.keys} keys`;
      const complaint = visit(member, level + 1);
      if (complaint) return complaint;
    }
    return null;
  };
  const complaint = visit(value, 1);
  if (complaint) return complaint;
  return new TextEncoder().encode(JSON.stringify(value)).length > extrasLimits.bytes
    ? `must not exceed ${extrasLimits.bytes} bytes as JSON`
    : null;
}

/** Accepts plain data within the limits, and passes it on unchanged. */
export const extrasSchema = z.custom<Readonly<Record<string, unknown>>>().superRefine((value, context) => {
  const message = complaintAboutExtras(value);
  if (message) context.addIssue({ code: 'custom', message });
});

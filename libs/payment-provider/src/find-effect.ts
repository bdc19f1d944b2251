/** Looks for the effect of a step whose answer was lost, by the finder of its description. Reads only. */
import { succeeded, unknown, type Outcome } from '@platform/kernel';
import { effects, type EffectStep, type Finder, type Handles } from './effects';
import type { CallIntent, ProviderReads } from './port';

/** What the finders look at; every object of the provider that is found has an id. */
type Seen = Parameters<Finder['shows']>[0];

/**
 * Objects that show the effect. None is no proof that it did not happen. `unknown` when a handle that the search needs
 * is not known, or the provider does not answer.
 */
export async function findEffect(
  reads: ProviderReads,
  intent: CallIntent & { readonly step: EffectStep },
  handles: Handles,
): Promise<Outcome<readonly { readonly id: string }[]>> {
  const { search, needs, shows } = effects[intent.step].evidence;
  const missing = needs.filter((handle) => handles[handle] === undefined);
  if (missing.length > 0) return unknown(`${search} cannot be asked: ${missing.join(', ')} is not known`);
  const answer: Outcome<Seen | readonly Seen[]> = await reads[search](handles[needs[0]]!);
  if (answer.outcome === 'failed' && answer.code === 'not_found') return succeeded([]);
  if (answer.outcome !== 'succeeded') return answer;
  const seen = Array.isArray(answer.value) ? (answer.value as readonly Seen[]) : [answer.value as Seen];
  return succeeded(
    seen.filter((each) => (shows as (seen: Seen, about: object) => boolean)(each, { ...intent, ...handles })),
  );
}

/** The runner of provider calls: laws 1 to 3 in one place, for every record that an executor works on. */
export { callProvider, callRecord, stopHeld, writeHeld } from './runner';
export type { Called, EffectError, EffectPorts, Hold } from './runner';

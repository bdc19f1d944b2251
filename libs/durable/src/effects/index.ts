/** The runner of provider calls: laws 1 to 3 in one place, for every record that an executor works on. */
export { callProvider, callRecord, sendRecorded, stopHeld, writeHeld } from './runner';
export type { AnswerPorts, Called, EffectError, EffectPorts, Hold } from './runner';

/**
 * Three days in some of the histories: time leaps to just past each limit of the platform and of the provider, as on
 * machines that slept. Timers fire late and once, and clients repeat earlier requests. The module uses a separate
 * generator, so that all other choices of a history are the same with and without it.
 */
import { createRandom } from '@platform/testing';
import { begin, type Action, type Stage } from './world/actions';

const share = 0.4;
const chanceOfLeap = 0.006;
const chanceOfRepeat = 0.5;
const minuteMs = 60_000;
/** A quarter of an hour, an hour, 20 hours, a day and an hour, three days. */
const ages = [16, 62, 20 * 60, 25 * 60, 72 * 60];
const leaps = ages.map((minutes, at) => (minutes - (ages[at - 1] ?? 0)) * minuteMs);

const monthShare = 0.05;
const monthMs = 31 * 24 * 60 * minuteMs;

/**
 * A month in a few histories: then others ask for workspaces with the card and the address of the first creation, so
 * that whatever is held for ever is asked for again.
 */
export function letAMonthPass(stage: Stage, seed: number, begun: readonly Action[]): void {
  if (createRandom(seed ^ 0x10005ccd).next() >= monthShare) return;
  const creation = begun.find((action) => action.do === 'create');
  if (!creation) return;
  stage.world.timeline.leap(monthMs);
  stage.world.marks.push('time: a month has passed');
  const { request } = creation;
  for (const plan of [{ planId: 'free' }, { planId: 'starter', priceId: 'price_starter' }])
    begin(stage, { do: 'create', request: { ...request, tenantId: `ws-later-${plan.planId}`, plan } });
}

/** Called between steps with the actions that have begun; in most histories it does nothing. */
export function createDays(stage: Stage, seed: number): (begun: readonly Action[]) => void {
  const random = createRandom(seed ^ 0x2545f491);
  if (random.next() >= share) return () => undefined;
  const left = [...leaps];
  return (begun) => {
    if (left.length === 0 || random.next() >= chanceOfLeap) return;
    stage.world.timeline.leap(left.shift()!);
    stage.world.marks.push(`time: ${(ages.at(-1 - left.length)! / 60).toFixed(1)} h have passed`);
    for (const action of begun)
      if ((action.do === 'ask' || action.do === 'migrate') && random.next() < chanceOfRepeat) begin(stage, action);
  };
}

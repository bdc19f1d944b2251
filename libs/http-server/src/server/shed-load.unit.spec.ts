import { createLoadGate, defaultShedLimits, type LoadGate } from './shed-load';

/**
 * A server of a given speed under closed-loop clients, simulated in steps of time: which requests are accepted or
 * refused, and how long answers take.
 */
function play({ clients, perSecond, seconds }: { clients: number; perSecond: number; seconds: number }) {
  let nowMs = 0;
  const gate = createLoadGate(defaultShedLimits, () => nowMs);
  const queue: number[] = [];
  const times: number[] = [];
  let refused = 0;
  let credit = 0;
  while (nowMs < seconds * 1_000) {
    for (let at = queue.length; at < clients; at += 1) {
      if (gate.enter('read', 'a')) queue.push(nowMs);
      else refused += 1;
    }
    credit += perSecond / 100;
    for (; credit >= 1 && queue.length > 0; credit -= 1) {
      times.push(nowMs - queue.shift()!);
      gate.leave('read', 'a', true);
    }
    nowMs += 10;
  }
  const late = times.slice(times.length / 4).sort((a, b) => a - b);
  return { refused, answered: times.length, p95Ms: late[Math.floor(late.length * 0.95)]! };
}

describe('early shedding', () => {
  it.each([91, 300, 2_000])(
    'answers what it takes within a second at %d requests/s, whatever more is asked',
    (perSecond) => {
      const { refused, answered, p95Ms } = play({ clients: 500, perSecond, seconds: 20 });
      expect(p95Ms).toBeLessThan(1_000);
      // Every request that can be answered in time is answered, so no capacity of the machine is wasted.
      expect(answered).toBeGreaterThan(perSecond * 20 * 0.9);
      if (perSecond < 500) expect(refused).toBeGreaterThan(0);
    },
  );

  it('refuses no caller where answers come fast enough', () => {
    expect(play({ clients: 100, perSecond: 1_000, seconds: 10 }).refused).toBe(0);
    expect(play({ clients: 30, perSecond: 5, seconds: 10 }).refused).toBe(0);
  });

  it('takes writes while reads are refused, and bounds them too', () => {
    let nowMs = 0;
    const gate: LoadGate = createLoadGate(defaultShedLimits, () => nowMs);
    for (let at = 0; at < 128; at += 1) expect(gate.enter('read', 'a')).toBe(true);
    nowMs += 2_000;
    expect(gate.enter('read', 'a')).toBe(false);
    for (let at = 0; at < 512; at += 1) expect(gate.enter('write', `${at % 4}`)).toBe(true);
    expect(gate.enter('write', 'a')).toBe(false);
    gate.leave('write', '0', true);
    expect(gate.enter('write', 'a')).toBe(true);
  });

  it('leaves half of the places for writes to others, however many one caller sends', () => {
    const gate = createLoadGate(defaultShedLimits, () => 0);
    for (let at = 0; at < 256; at += 1) expect(gate.enter('write', 'many')).toBe(true);
    expect(gate.enter('write', 'many')).toBe(false);
    for (let at = 0; at < 256; at += 1) expect(gate.enter('write', `person ${at}`)).toBe(true);
    gate.leave('write', 'many', false);
    expect(gate.enter('write', 'many')).toBe(true);
  });

  it('takes reads again after a store that did not answer, as soon as answers come', () => {
    let nowMs = 0;
    const gate = createLoadGate(defaultShedLimits, () => nowMs);
    for (let at = 0; at < 100; at += 1) gate.enter('read', 'a');
    nowMs += 5_000;
    expect(gate.enter('read', 'a')).toBe(false);
    for (let at = 0; at < 40; at += 1) gate.leave('read', 'a', true);
    expect(gate.enter('read', 'a')).toBe(true);
  });

  it('takes the few reads of one caller while the many of another are refused, and bounds them alike', () => {
    let nowMs = 0;
    const gate = createLoadGate(defaultShedLimits, () => nowMs);
    const ask = (caller: string): boolean => gate.enter(gate.weigh('read', caller), caller);
    for (let at = 0; at < 200; at += 1) ask('many');
    nowMs += 2_000;
    expect(ask('many')).toBe(false);
    for (let at = 0; at < 4; at += 1) expect(ask('person')).toBe(true);
    expect(ask('person')).toBe(false);
    // With very many callers, none has priority over the others.
    const taken = Array.from({ length: 200 }, (_each, at) => ask(`other ${at}`));
    expect(taken.filter(Boolean)).toHaveLength(56);
    gate.leave('few', 'person', true);
    expect(gate.weigh('read', 'person')).toBe('few');
  });

  it('learns nothing from readers who leave', () => {
    let nowMs = 0;
    const gate = createLoadGate(defaultShedLimits, () => nowMs);
    for (let at = 0; at < 128; at += 1) expect(gate.enter('read', 'a')).toBe(true);
    nowMs += 2_000;
    for (let at = 0; at < 40; at += 1) gate.leave('read', 'a', false);
    expect(gate.enter('read', 'a')).toBe(false);
  });
});

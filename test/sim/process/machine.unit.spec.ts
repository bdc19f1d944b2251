/** A step of a history ends when its process can go no further, also where the process waits for the real machine. */
import { readFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { createClocks } from '../engine/clocks';
import { createFaults } from '../engine/faults';
import { createTimeline } from '../engine/timeline';
import { useMachine } from './machine';
import { createNetwork } from './network';

it('the machine rests when files that a process reads have been read and closed', async () => {
  const timeline = createTimeline(1);
  const faults = createFaults({ seed: 1, rates: { crash: 0, freeze: 0, answer: 0, late: 0 } });
  const network = createNetwork({ timeline, faults, trace: createHash('sha256') });
  const machine = useMachine(timeline, network, { seed: 1, clocks: createClocks(1) });
  let read = 0;
  try {
    for (let files = 0; files < 5; files += 1) void readFile(__filename).then(() => (read += 1));
    await machine.rest();
    expect(read).toBe(5);
  } finally {
    machine.release();
  }
});

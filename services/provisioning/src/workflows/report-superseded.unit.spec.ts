import type { Log } from '@platform/kernel';
import { silentLog } from '@platform/kernel';
import { bootProvisioning, createProvisioningWorld, creationRequest } from '../testing/provisioning-world';
import { newAttempt } from '../domain/progress';
import { reportSuperseded } from './report-superseded';

async function leave() {
  const world = await createProvisioningWorld();
  const { ports } = bootProvisioning(world, 2);
  const by = (instance: string, incarnation: string) => ({ service: 'provisioning', instance, incarnation });
  const left = {
    't-before': by('provisioning-1', 'incarnation-1'),
    't-now': by('provisioning-1', 'incarnation-2'),
    't-other': by('provisioning-2', 'incarnation-1'),
    't-alive': by('provisioning-1', 'incarnation-0'),
  };
  for (const [tenantId, executor] of Object.entries(left))
    await ports.attempts.insert(newAttempt(creationRequest({ tenantId }), executor, { trialKeys: [] }));
  const warned: unknown[] = [];
  const log: Log = { ...silentLog, warn: (fields) => void warned.push(fields) };
  return {
    world,
    ports: {
      ...ports,
      log,
      executorState: async (incarnation: string) => (incarnation === 'incarnation-0' ? 'unknown' : 'superseded'),
    },
    warned,
  };
}

describe('the report at start', () => {
  it('names what earlier boots of this instance left open, and touches nothing', async () => {
    const { world, ports, warned } = await leave();
    const before = JSON.stringify(world.attempts());
    expect(await reportSuperseded(ports)).toEqual(['t-before']);
    expect(warned).toEqual([{ attempts: [{ tenantId: 't-before', status: 'preparing' }], count: 1 }]);
    expect(JSON.stringify(world.attempts())).toBe(before);
  });

  it('says nothing when nothing was left', async () => {
    const { ports, warned } = await leave();
    expect(await reportSuperseded({ ...ports, executor: { ...ports.executor, instance: 'provisioning-9' } })).toEqual(
      [],
    );
    expect(warned).toEqual([]);
  });
});

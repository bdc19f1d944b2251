/** The running broker is judged by its own answers, and an unchecked property is never reported as good. */
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { serverWeaknesses } from './server-weaknesses';

describe('server weaknesses', () => {
  let monitor: Server;
  let monitorUrl: string;
  let answer: { status: number; body: unknown };
  beforeAll(async () => {
    monitor = createServer((_request, response) => {
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
    });
    await new Promise<void>((settle) => monitor.listen(0, '127.0.0.1', settle));
    const address = monitor.address();
    monitorUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  });
  afterAll(async () => new Promise((settle) => monitor.close(settle)));

  it('finds none in a new server with three replicas that syncs always', async () => {
    answer = { status: 200, body: { config: { sync_interval: 120e9, sync_always: true } } };
    expect(await serverWeaknesses({ version: '2.12.12', replicas: 3, monitorUrl })).toEqual([]);
  });

  it('names the version, the replicas and the interval in which a power cut loses messages', async () => {
    answer = { status: 200, body: { config: { sync_interval: 120e9 } } };
    expect(await serverWeaknesses({ version: '2.10.27', replicas: 1, monitorUrl })).toEqual([
      'server version 2.10.27, production wants 2.12.12 or newer',
      '1 replica, production wants 3',
      'sync interval 120 s: a power cut loses acknowledged messages of that time; production wants sync_interval: always',
    ]);
  });

  it.each([
    ['2.12.11', true],
    ['2.12.12', false],
    ['2.12.13', false],
    ['2.9.10', true],
    ['3.0.0', false],
    ['2.12.12-RC.1', false],
  ])('calls version %s old: %s', async (version, old) => {
    expect((await serverWeaknesses({ version, replicas: 3 })).some((line) => line.startsWith('server version'))).toBe(
      old,
    );
  });

  it('says that it did not check the interval when no monitoring port is named', async () => {
    expect(await serverWeaknesses({ version: '2.12.12', replicas: 3 })).toEqual([
      'sync interval not checked: give --monitor',
    ]);
  });

  it('fails rather than guesses when the monitoring port refuses', async () => {
    answer = { status: 503, body: {} };
    await expect(serverWeaknesses({ version: '2.12.12', replicas: 3, monitorUrl })).rejects.toThrow('answered 503');
  });
});

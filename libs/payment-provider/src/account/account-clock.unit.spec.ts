/** The calls of test clocks, compared with the provider's reference documentation. */
import { startScriptedServer, type ScriptedServer } from '../spec-support/scripted-server';
import { openAccountApi } from './account-api';
import { testClocks } from './account-clock';

const path = '/v1/test_helpers/test_clocks';

/** A clock that has not arrived at the first check. */
async function opened(ends: 'ready' | 'internal_failure' = 'ready') {
  const server: ScriptedServer = await startScriptedServer();
  const clock = { id: 'clock_1', object: 'test_helpers.test_clock', status: 'ready', frozen_time: 1_767_225_600 };
  let looks = 0;
  server.script = ({ method, path: asked, body }, response) => {
    const advanced = /frozen_time=(\d+)$/.exec(body)?.[1];
    if (asked.endsWith('/advance')) Object.assign(clock, { status: 'advancing', frozen_time: Number(advanced) });
    else if (method === 'GET' && clock.status === 'advancing' && (looks += 1) > 1) clock.status = ends;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(method === 'DELETE' ? { id: clock.id, deleted: true } : clock));
  };
  const api = openAccountApi({ secretKey: 'sk_test_clock', apiBase: server.url });
  const time = testClocks(
    api,
    () => 1_767_225_600_500,
    async () => undefined,
  );
  return {
    server,
    time,
    sent: () => server.requests.map(({ method, path: asked, body }) => `${method} ${asked} ${body}`.trim()),
  };
}

describe('time of an account', () => {
  it('is a clock per customer, advanced until it has arrived, and removed', async () => {
    const { server, time, sent } = await opened();
    try {
      const clock = await time.begin('run 1');
      await time.advance(clock, 86_400);
      await time.close();
      expect(sent()).toEqual([
        `POST ${path} frozen_time=1767225600&name=run%201`,
        `GET ${path}/clock_1`,
        `POST ${path}/clock_1/advance frozen_time=1767312000`,
        `GET ${path}/clock_1`,
        `GET ${path}/clock_1`,
        `DELETE ${path}/clock_1`,
      ]);
    } finally {
      await server.close();
    }
  });

  it('says which clock the provider could not advance, and for whom there is none', async () => {
    const { server, time } = await opened('internal_failure');
    try {
      await expect(time.advance(await time.begin('run 1'), 60)).rejects.toThrow('could not advance the clock clock_1');
      await expect(time.advance(undefined, 60)).rejects.toThrow('has no clock');
    } finally {
      await server.close();
    }
  });

  it('is never that of a live account', () => {
    expect(() => openAccountApi({ secretKey: 'sk_live_1234secret' })).toThrow(/^The key is no test key/);
  });
});

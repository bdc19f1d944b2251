import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createPatientClient } from './patient-client';

describe('a patient client', () => {
  let server: Server;
  let url: string;
  const waits: (string | undefined)[] = [];
  beforeAll(async () => {
    server = createServer((request, response) => {
      waits.push(request.headers['prefer']?.toString());
      response.end('{}');
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((closed) => server.close(closed)));
  beforeEach(() => void (waits.length = 0));

  it('asks for the longest wait with each action, and for another one where the caller says so', async () => {
    const client = createPatientClient(url, 'token');
    await client.post('/act', {});
    await client.put('/act', {});
    await client.delete('/act', {});
    await client.call('POST', '/act', {}, { prefer: 'wait=0' });
    await client.get('/read');
    expect(waits).toEqual(['wait=30', 'wait=30', 'wait=30', 'wait=0', undefined]);
  });
});

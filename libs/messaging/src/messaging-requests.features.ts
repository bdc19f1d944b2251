/** The part of the shared suite about request and reply. */
import { suspended } from './messaging.harness';
import type { Parts } from './messaging.harness';

export function requestFeatures(parts: Parts): void {
  const gate = {
    name: 'gate',
    subject: 'query.gate',
    answer: async (body: unknown) => {
      const { tenantId } = body as { tenantId: string };
      if (tenantId === 'broken') throw new Error('store away, password hunter2');
      if (tenantId === 'none')
        return { ok: false as const, error: { code: 'tenant_not_found', message: 'No tenant “none”' } };
      return { ok: true as const, value: { committed: tenantId === 'acme' } };
    },
  };
  const description = { name: 'provisioning', version: '1.0.0', description: 'Answers the gate' };

  it('answers, refuses with the serving side’s code, and hides what an endpoint threw', async () => {
    const { operator, delivery } = parts();
    await delivery.serve(description, [gate]);
    expect(await operator.request('query.gate', { tenantId: 'acme' }, 60_000)).toEqual({
      ok: true,
      value: { committed: true },
    });
    expect(await operator.request('query.gate', { tenantId: 'none' }, 60_000)).toEqual({
      ok: false,
      error: { code: 'refused', serverCode: 'tenant_not_found', message: 'No tenant “none”' },
    });
    const broken = await operator.request('query.gate', { tenantId: 'broken' }, 60_000);
    expect(broken).toMatchObject({ ok: false, error: { code: 'refused', serverCode: 'internal_error' } });
    expect(JSON.stringify(broken)).not.toContain('hunter2');
  });

  it('carries a reply of up to 1,000,000 bytes, and says of a larger one that the service failed', async () => {
    const { operator, delivery } = parts();
    const filled = (bytes: number) => ({ text: 'x'.repeat(bytes - '{"text":""}'.length) });
    await delivery.serve(description, [
      {
        name: 'list',
        subject: 'query.list',
        answer: async (body) => ({ ok: true, value: filled((body as { bytes: number }).bytes) }),
      },
    ]);
    expect(await operator.request('query.list', { bytes: 1_000_000 }, 60_000)).toEqual({
      ok: true,
      value: filled(1_000_000),
    });
    expect(await operator.request('query.list', { bytes: 1_000_001 }, 60_000)).toMatchObject({
      ok: false,
      error: { code: 'refused', serverCode: 'internal_error' },
    });
  });

  it('tells an endpoint with a wildcard under which subject it was asked', async () => {
    const { operator, delivery } = parts();
    await delivery.serve(description, [
      {
        name: 'echo',
        subject: 'query.echo.*',
        answer: async (body, subject) => ({ ok: true, value: { subject, body } }),
      },
    ]);
    expect(await operator.request('query.echo.storage', { name: 'storage' }, 60_000)).toEqual({
      ok: true,
      value: { subject: 'query.echo.storage', body: { name: 'storage' } },
    });
    expect(await operator.request('query.echo', {}, 60_000)).toMatchObject({
      ok: false,
      error: { code: 'no_responders' },
    });
  });

  it('says that no service answers, before it opens and after it closed', async () => {
    const { operator, delivery } = parts();
    expect(await operator.request('query.gate', {}, 60_000)).toMatchObject({
      ok: false,
      error: { code: 'no_responders' },
    });
    const service = await delivery.serve(description, [gate]);
    await service.close();
    expect(await operator.request('query.gate', {}, 60_000)).toMatchObject({
      ok: false,
      error: { code: 'no_responders' },
    });
  });

  it('settles closed when it is closed on purpose, and is unreachable then', async () => {
    const { operator } = parts();
    expect(operator.connected()).toBe(true);
    await operator.close();
    expect(await operator.closed).toBeUndefined();
    expect(operator.connected()).toBe(false);
    expect(await operator.publish(suspended('late'))).toBe('unknown');
    expect(await operator.request('query.gate', {}, 1_000)).toMatchObject({
      ok: false,
      error: { code: 'not_connected' },
    });
  });
}

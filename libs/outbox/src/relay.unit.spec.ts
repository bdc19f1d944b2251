import { clock, createLatch, entry, setUp } from './relay.harness';

describe('the fast path', () => {
  it('publishes what was announced under the id of its entry, without reading the store', async () => {
    const one = entry('m1');
    const { relay, source, publisher } = setUp({ r1: [one] });
    await relay.publishNow('things', 'r1', [one]);
    expect(publisher.messages).toEqual([
      { subject: 'subject.m1', id: 'm1', type: 'thing.happened.v1', body: { id: 'm1' } },
    ]);
    expect(source.reads).toBe(0);
  });

  it('removes an entry that ends with the acknowledgement and keeps one that waits for its receiver', async () => {
    const [alert, message] = [entry('alert', 'publish_ack'), entry('message')];
    const { relay, source } = setUp({ r1: [alert, message] });
    await relay.publishNow('things', 'r1', [alert, message]);
    expect(source.ids()).toEqual(['message']);
  });

  it('does not reject when the publisher throws or does not know, and leaves the entry to the next sweep', async () => {
    const entries = [entry('m1', 'publish_ack'), entry('m2', 'publish_ack')];
    const { relay, source, publisher } = setUp({ r1: entries });
    publisher.answer(({ id }) => {
      if (id === 'm1') throw new Error('broken');
      return 'unknown';
    });
    await expect(relay.publishNow('things', 'r1', entries)).resolves.toBeUndefined();
    expect(source.ids()).toEqual(['m1', 'm2']);
    publisher.answer(() => 'acknowledged');
    await relay.sweep();
    expect(source.ids()).toEqual(['m1']);
    clock.advance(60_000);
    await relay.sweep();
    expect(source.ids()).toEqual([]);
  });
});

describe('a sweep', () => {
  it('publishes at once what this process never tried, in the order written', async () => {
    const { relay, published } = setUp({ b: [entry('b1'), entry('b2')], a: [entry('a1')] });
    expect(await relay.sweep()).toEqual({
      acknowledged: 3,
      confirmed: 0,
      unacknowledged: 0,
      refused: 0,
      complete: true,
    });
    expect(published()).toEqual(['a1', 'b1', 'b2']);
  });

  it('leaves an acknowledged entry alone until it has rested, then publishes it again with the same id', async () => {
    const { relay, published } = setUp({ r1: [entry('m1')] });
    await relay.sweep();
    clock.advance(59_999);
    await relay.sweep();
    expect(published()).toEqual(['m1']);
    clock.advance(1);
    await relay.sweep();
    expect(published()).toEqual(['m1', 'm1']);
  });

  it('does not repeat what the fast path is just publishing, however long that takes', async () => {
    const one = entry('m1');
    const { relay, publisher, published } = setUp({ r1: [one] });
    const gate = createLatch();
    publisher.answer(() => gate.promise);
    const publishing = relay.publishNow('things', 'r1', [one]);
    clock.advance(60_000);
    await relay.sweep();
    expect(published()).toEqual(['m1']);
    gate.resolve('acknowledged');
    await publishing;
  });

  it('goes through all records page by page, also past entries that wait for their receivers', async () => {
    const records = Object.fromEntries(
      Array.from({ length: 25 }, (_, at) => [`r${String(at).padStart(2, '0')}`, [entry(`m${at}`)]]),
    );
    const { relay, source, published } = setUp(records, { batch: 10 });
    await relay.sweep();
    source.rows.set('r99', [entry('late')]);
    await relay.sweep();
    expect(published()).toHaveLength(26);
    expect(published().at(-1)).toBe('late');
  });

  it('stops when a whole wave goes unacknowledged, and delivers everything once the broker answers', async () => {
    const records = Object.fromEntries(
      Array.from({ length: 9 }, (_, at) => [`r${at}`, [entry(`m${at}`, 'publish_ack')]]),
    );
    const { relay, source, publisher, published } = setUp(records, { inFlight: 3 });
    publisher.answer(() => 'unknown');
    expect(await relay.sweep()).toMatchObject({ unacknowledged: 3, complete: false });
    expect(relay.lastSweepAt()).toBeNull();
    expect(published()).toEqual(['m0', 'm1', 'm2']);
    publisher.answer(() => 'acknowledged');
    expect(await relay.sweep()).toMatchObject({ acknowledged: 9, confirmed: 9, complete: true });
    expect(source.ids()).toEqual([]);
    expect(relay.lastSweepAt()).toEqual(clock.now());
  });

  it('comes round to every entry although a whole wave is never acknowledged', async () => {
    const records = Object.fromEntries(
      Array.from({ length: 8 }, (_, at) => [`r${at}`, [entry(at < 4 ? `lost${at}` : `m${at}`, 'publish_ack')]]),
    );
    const { relay, source, publisher } = setUp(records, { inFlight: 2 });
    publisher.answer(({ id }) => (id.startsWith('lost') ? 'unknown' : 'acknowledged'));
    await relay.sweep();
    await relay.sweep();
    expect(source.ids()).toContain('m7');
    await relay.sweep();
    expect(source.ids()).toEqual(['lost0', 'lost1', 'lost2', 'lost3']);
    publisher.answer(() => 'acknowledged');
    expect(await relay.sweep()).toMatchObject({ acknowledged: 4, complete: true });
    expect(source.ids()).toEqual([]);
  });

  it('keeps at most the given number of publishes under way', async () => {
    const { relay, publisher } = setUp({ r1: Array.from({ length: 20 }, (_, at) => entry(`m${at}`)) }, { inFlight: 4 });
    let underWay = 0;
    let most = 0;
    publisher.answer(async () => {
      most = Math.max(most, (underWay += 1));
      await Promise.resolve();
      underWay -= 1;
      return 'acknowledged' as const;
    });
    await relay.sweep();
    expect(most).toBe(4);
  });

  it('is not held up by a message that the publisher refuses', async () => {
    const { relay, source, publisher } = setUp(
      { r1: [entry('bad', 'publish_ack')], r2: [entry('good', 'publish_ack')] },
      { inFlight: 1 },
    );
    publisher.answer(({ id }) => {
      if (id === 'bad') throw new Error('too large');
      return 'acknowledged';
    });
    expect(await relay.sweep()).toMatchObject({ acknowledged: 1, refused: 1, complete: true });
    expect(source.ids()).toEqual(['bad']);
  });

  it('removes an acknowledged entry later when the store did not answer, without publishing it again', async () => {
    const { relay, source, published } = setUp({ r1: [entry('m1', 'publish_ack')] });
    source.failing.add('confirm');
    await relay.sweep();
    expect(source.ids()).toEqual(['m1']);
    source.failing.clear();
    await relay.sweep();
    expect(source.ids()).toEqual([]);
    expect(published()).toEqual(['m1']);
  });

  it('survives a store that is unreachable and says that it is not complete', async () => {
    const { relay, source } = setUp({ r1: [entry('m1')] });
    source.failing.add('pending');
    expect(await relay.sweep()).toMatchObject({ acknowledged: 0, complete: false });
    source.failing.clear();
    expect(await relay.sweep()).toMatchObject({ acknowledged: 1, complete: true });
  });

  it('is joined, not doubled, by a second call', async () => {
    const { relay, published } = setUp({ r1: [entry('m1')] });
    await Promise.all([relay.sweep(), relay.sweep()]);
    expect(published()).toEqual(['m1']);
  });
});

describe('two relays over one collection', () => {
  it('publish the same ids and lose nothing', async () => {
    const { open, source, published } = setUp({
      r1: [entry('m1', 'publish_ack'), entry('m2')],
      r2: [entry('m3', 'publish_ack')],
    });
    await Promise.all([open().sweep(), open().sweep()]);
    expect(new Set(published())).toEqual(new Set(['m1', 'm2', 'm3']));
    expect(source.ids()).toEqual(['m2']);
  });
});

describe('a started relay', () => {
  it('sweeps at once and then once after each pause', async () => {
    const { relay, source, timer, published } = setUp({ r1: [entry('m1')] });
    const first = timer.begun();
    relay.start();
    relay.start();
    await first;
    expect(published()).toEqual(['m1']);
    expect(timer.pauses.map(({ milliseconds }) => milliseconds)).toEqual([5_000]);
    source.rows.set('r2', [entry('m2')]);
    const second = timer.begun();
    timer.pauses[0]!.end();
    await second;
    expect(published()).toEqual(['m1', 'm2']);
    await relay.close();
    expect(timer.pauses).toHaveLength(2);
  });

  it('pauses after a failed sweep as after any other', async () => {
    const { relay, source, timer } = setUp();
    source.failing.add('pending');
    const paused = timer.begun();
    relay.start();
    await paused;
    expect(source.reads).toBe(1);
    await relay.close();
    expect(source.reads).toBe(1);
  });

  it('waits on closing for what is under way and then starts nothing more', async () => {
    const [one, two] = [entry('m1'), entry('m2')];
    const { relay, publisher, published } = setUp();
    const gate = createLatch();
    publisher.answer(() => gate.promise);
    let closed = false;
    const publishing = relay.publishNow('things', 'r1', [one]);
    const closing = relay.close().then(() => {
      closed = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(closed).toBe(false);
    gate.resolve('acknowledged');
    await Promise.all([publishing, closing]);
    await relay.publishNow('things', 'r1', [two]);
    expect(published()).toEqual(['m1']);
  });
});

describe('the figures of a relay', () => {
  it('name the waiting entries of each collection and the oldest of them', async () => {
    const since = clock.now();
    const { relay } = setUp({ r1: [entry('m1'), entry('m2')] });
    expect(await relay.backlog()).toEqual({ things: { count: 2, oldest: since } });
  });
});

/** The console in windows of different widths: nothing is cut off without a sign that there is more. */
import { eventually } from '@platform/testing';
import type { Locator, Page } from 'playwright-core';
import { describeInBrowser } from '../../support/browser';
import { overflow } from './browser';
import { keyboardSuite } from './keyboard-suite';

const tenantId = 'window-widths';
/** A difference that people see. */
const visible = 60;
/** How much green a pixel of a line has at most, on a white page. */
const dark = 180;

/** Evaluates an expression over `canvas`, `width` and `height` of a picture; the console's policy loads no such picture. */
async function readPicture<T>(page: Page, picture: Buffer, expression: string): Promise<T> {
  const blank = await page.context().newPage();
  const read = await blank.evaluate<T>(`(async () => {
    const image = new Image();
    image.src = 'data:image/png;base64,${picture.toString('base64')}';
    await image.decode();
    const { width, height } = image;
    const canvas = new OffscreenCanvas(width, height).getContext('2d');
    canvas.drawImage(image, 0, 0);
    return ${expression};
  })()`);
  await blank.close();
  return read;
}

/** Whether the left and the right edge of an element are drawn otherwise than its middle. */
async function shades(page: Page, element: Locator): Promise<{ left: boolean; right: boolean }> {
  const [left, right] = await readPicture<[number, number]>(
    page,
    await element.screenshot(),
    `(([middle, ...edges]) => edges.map((edge) => edge.reduce((sum, value, at) => sum + Math.abs(value - middle[at]), 0)))(
      [width >> 1, 6, width - 6].map((x) => canvas.getImageData(x, height - 8, 1, 1).data))`,
  );
  return { left: left > visible, right: right > visible };
}

describeInBrowser('a window', () => {
  const suite = keyboardSuite(tenantId, 'window-widths-credit-1');
  const openNarrow = async (hash: string, heading: string) => {
    const page = await suite.tabOf('ann');
    await page.setViewportSize({ width: 360, height: 900 });
    await suite.open(page, hash, heading);
    return page;
  };

  it('of a laptop has room for the whole bar', async () => {
    const page = await suite.tabOf('a-person-with-a-long-address');
    await suite.open(page, '#/streams', 'Streams');
    const cut: unknown[] = [];
    for (const width of [1024, 1181, 1240, 1280, 1360, 1366, 1440, 1541]) {
      await page.setViewportSize({ width, height: 800 });
      const hidden = await page.evaluate<number>(
        `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.bar nav'))`,
      );
      if ((await overflow(page)) > 0 || hidden > 0) cut.push([width, await overflow(page), hidden]);
    }
    expect(cut).toEqual([]);
    await page.context().close();
  });

  it('of a laptop says who is signed in', async () => {
    const page = await suite.tabOf('ann');
    await suite.open(page, '#/streams', 'Streams');
    for (const width of [768, 1280, 1366, 1440, 1536, 1541]) {
      await page.setViewportSize({ width, height: 800 });
      expect([width, await page.locator('.who').isVisible()]).toEqual([width, true]);
    }
    await page.context().close();
  });

  it('shows each instant of a timeline with its zone', async () => {
    const page = await suite.tabOf('ann');
    await suite.openCase(page);
    const times = await page.locator('.timeline time').allInnerTexts();
    expect(times.length).toBeGreaterThan(2);
    for (const time of times) expect(time).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [A-Z]\S+$/);
    await page.context().close();
  });

  it('says to a person who may not test a consumer that a platform owner may', async () => {
    const page = await suite.tabOf('sue');
    await page.route('**/api/saas/lifecycle/consumers/storage', async (route) => {
      const response = await route.fetch();
      const { consumer, ...rest } = (await response.json()) as { readonly consumer: object };
      await route.fulfill({ response, json: { ...rest, consumer: { ...consumer, tests: [] } } });
    });
    await suite.open(page, '#/consumers/storage', 'storage');
    await page.locator('section[aria-labelledby=tests] >> text=A platform owner may').waitFor();
    await page.context().close();
  });

  it('of a phone shades the edge beyond which a table goes on', async () => {
    const page = await openNarrow(`#/workspaces/${tenantId}`, tenantId);
    const table = page.locator('.scroll').first();
    // Rows arrive after the heading, and the table is as wide as they are.
    const becomes = (wanted: { left: boolean; right: boolean }) =>
      eventually(async () => (expect(await shades(page, table)).toEqual(wanted), true), {
        describe: 'the shades of the edges of a table',
      });
    await becomes({ left: false, right: true });
    await table.evaluate((element) => void (element.scrollLeft = element.scrollWidth));
    await becomes({ left: true, right: false });
    await page.context().close();
  });

  it('of a phone shows in the bar which screen is open', async () => {
    const page = await openNarrow('#/streams', 'Streams');
    const { x, width } = (await page.locator('.bar a[aria-current=page]').boundingBox())!;
    expect([x >= 0, x + width <= 360]).toEqual([true, true]);
    await page.context().close();
  });

  it.each([
    ['#/activity', 'Activity'],
    ['#/workspaces', 'Workspaces'],
  ])('of a phone has the download below the first letter of its heading: %s', async (hash, heading) => {
    const page = await openNarrow(hash, heading);
    const leftOf = async (element: Locator) => (await element.boundingBox())!.x;
    const download = page.getByRole('button', { name: 'Download as CSV' });
    expect(await leftOf(download)).toBe(await leftOf(page.getByRole('heading', { level: 1 })));
    await page.context().close();
  });

  it('shows the last time below a chart as a whole', async () => {
    const page = await suite.tabOf('ann');
    // At such an instant the last time is written below the end of the axis.
    await page.clock.setFixedTime(new Date('2026-03-01T12:00:30.000Z'));
    await suite.open(page, '#/streams', 'Streams');
    await page.locator('.chart canvas').first().waitFor();
    const inked = await page.evaluate<number[]>(`(() => {
      const canvas = document.querySelector('.chart canvas');
      const { width, height } = canvas;
      const below = (x) => canvas.getContext('2d').getImageData(x, height - 20, 1, 20).data;
      const columns = Array.from({ length: width }, (_each, x) => x);
      return columns.filter((x) => below(x).some((value) => value > 0)).map((x) => x - width);
    })()`);
    expect(inked.length).toBeGreaterThan(100);
    expect(Math.max(...inked)).toBeLessThan(-1);
    await page.context().close();
  });

  it('of a phone shows the id of an event in one piece', async () => {
    const page = await suite.tabOf('ann');
    await page.setViewportSize({ width: 360, height: 900 });
    const event = {
      ...{ eventId: 'evt_lWOS0XHFvYcifb6OaPeoiNZP', type: 'customer.subscription.updated', result: 'success' },
      ...{ owner: 'operator', object: {}, deliveries: 0, receivedAt: '2026-03-01T12:00:00.000Z' },
    };
    await page.route('**/api/saas/webhook-events?**', (route) => route.fulfill({ json: { events: [event] } }));
    await suite.open(page, '#/webhooks', 'Webhook events');
    const lines = await page
      .locator('td .id')
      .first()
      .evaluate((element) => element.getClientRects().length);
    expect(lines).toBe(1);
    await page.context().close();
  });

  it('shows the id of a creation once in its row of the work queue', async () => {
    const page = await suite.tabOf('ann');
    const [id, since] = ['01a2272e-ee72-7a6a-b47e-04855858d029', '2026-01-01T00:00:00.000Z'];
    const item = {
      ...{ kind: 'provisioning_attempt', id, tenantId: id, state: 'stopped', status: 'reconciliation_required' },
      ...{ title: 'create workspace', money: null, since, checkedAt: since },
    };
    await page.route('**/api/saas/work-queue?**', (route) => route.fulfill({ json: { items: [item] } }));
    await suite.open(page, '#/queue', 'Work queue');
    const row = await page.locator('a.row').innerText();
    expect(row.split(id)).toHaveLength(2);
    await page.context().close();
  });

  it('shows an id beside a name that is written from right to left in one piece', async () => {
    const page = await suite.tabOf('ann');
    const row = {
      ...{ tenantId: '01a2272e-ee72-7a6a-b47e-04855858d029', workspaceName: 'שלום 12', owner: null, planId: 'free' },
      ...{ status: 'active', access: { state: 'open' }, provider: {}, createdAt: '2026-01-01T00:00:00.000Z' },
    };
    await page.route('**/api/saas/workspaces?**', (route) => route.fulfill({ json: { workspaces: [row] } }));
    await suite.open(page, '#/workspaces', 'Workspaces');
    const id = page.locator('td .id').first();
    expect(await id.evaluate((element) => element.getClientRects().length)).toBe(1);
    const name = (await page.getByRole('link', { name: row.workspaceName }).boundingBox())!;
    expect((await id.boundingBox())!.x).toBeGreaterThanOrEqual(name.x + name.width);
    await page.context().close();
  });

  it('shows what follows the reason of a consumer after it, whatever direction the reason sets', async () => {
    const page = await suite.tabOf('ann');
    const at = '2026-01-01T00:00:00.000Z';
    const answer = { kind: 'run_failed', at, error: '\u202edisk is full' };
    const delivery = {
      ...{ operationId: 'op-direction-1', tenantId, transition: 'suspended', consumer: 'storage', status: 'pending' },
      ...{ attemptCount: 1, failureCount: 2, createdAt: at },
      attempts: [{ number: 1, messageId: 'm-1', startedAt: at, failures: 2, answer }],
    };
    await page.route('**/api/saas/lifecycle/deliveries?**', (route) =>
      route.fulfill({ json: { deliveries: [delivery] } }),
    );
    await suite.open(page, '#/deliveries', 'Deliveries and consumers');
    await page.locator('.attempts summary').click();
    const drawn = await page.evaluate<string[]>(`(() => {
      const range = document.createRange();
      const texts = document.createTreeWalker(document.querySelector('.attempts li'), NodeFilter.SHOW_TEXT);
      const found = [];
      while (texts.nextNode()) {
        range.selectNodeContents(texts.currentNode);
        found.push([texts.currentNode.nodeValue, range.getBoundingClientRect().x]);
      }
      return found.sort(([, a], [, b]) => a - b).map(([text]) => text).filter((text) => /disk|failures/.test(text));
    })()`);
    expect(drawn).toEqual([answer.error, expect.stringContaining('failures')]);
    await page.context().close();
  });

  it('shows the underscore of an id apart from the line under its link', async () => {
    const page = await suite.tabOf('ann');
    const row = {
      ...{ id: 'provider_event:evt_1', at: '2026-01-01T00:00:00.000Z', kind: 'provider_event', recordId: 'evt_1' },
      ...{ action: 'customer.updated', status: 'skipped', tenantId: null, actor: null },
    };
    await page.route('**/api/saas/activity?**', (route) => route.fulfill({ json: { activity: [row] } }));
    await suite.open(page, '#/activity', 'Activity');
    const box = (await page.locator('td a .id').boundingBox())!;
    const picture = await page.screenshot({ clip: { ...box, height: box.height + 4 } });
    // Every character of an id is as wide as another: the underscore is the fourth of five.
    const column = await readPicture<number[]>(
      page,
      picture,
      'Array.from({ length: height }, (_each, y) => canvas.getImageData(Math.round(width * 0.7), y, 1, 1).data[1])',
    );
    const lines = column.filter((green, y) => green < dark && (column[y - 1] ?? 255) >= dark).length;
    expect(lines).toBe(2);
    await page.context().close();
  });

  it('names both plans of a dry run by their ids', async () => {
    const page = await suite.tabOf('ann');
    await suite.open(page, '#/migrations?from=starter&to=pro', 'Migrations');
    await page.getByRole('heading', { name: 'starter → pro', exact: true }).waitFor({ timeout: 20_000 });
    await page.context().close();
  });

  it('draws the button of a proposal as a button, not as wide as the fields above it', async () => {
    const page = await suite.tabOf('ann');
    await suite.asIfUnresolved(page);
    await suite.openCase(page);
    await page.click('summary:has-text("Prepare a proposal")');
    const widthOf = async (selector: string) => (await page.locator(selector).first().boundingBox())!.width;
    expect(await widthOf('form.proposal > button')).toBeLessThan((await widthOf('form.proposal textarea')) / 2);
    await page.context().close();
  });

  it('says under its keys what the search finds', async () => {
    const page = await suite.tabOf('ann');
    await suite.open(page, '#/streams', 'Streams');
    await page.keyboard.press('?');
    await page.locator('dialog >> text=Search by any id, name or e-mail address').waitFor({ timeout: 20_000 });
    await page.context().close();
  });

  it('says of a moment that has come since that it is past, not that it will come', async () => {
    const page = await suite.tabOf('ann');
    let collectedAt = '2026-03-01T12:00:00.000Z';
    await page.route('**/api/saas/cases/operation?**', async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...((await answer.json()) as object), collectedAt } });
    });
    await page.clock.setFixedTime(new Date(collectedAt));
    await suite.openCase(page);
    const collected = page.locator('.summary > div:has-text("Collected") time');
    expect(await collected.innerText()).toBe('just now');
    collectedAt = '2026-03-01T12:00:04.000Z';
    await page.clock.setFixedTime(new Date(collectedAt));
    await page.click('text=Read again');
    await page.waitForSelector(`time[datetime="${collectedAt}"]`);
    expect(await collected.innerText()).toBe('just now');
    await page.context().close();
  });
});

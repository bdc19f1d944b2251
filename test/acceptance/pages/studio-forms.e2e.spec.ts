/** The forms of the studio as hands use them: typed key by key, with a key held down, and left before they are saved. */
import { eventually } from '@platform/testing';
import { describeInBrowser } from '../../support/browser';
import { startPageService } from './page-service';
import { studioSuite } from './studio-suite';

const pageFile = 'pages/shop/orders/page.ts';

describeInBrowser('A form of the query studio', () => {
  const studio = studioSuite(() => startPageService({ rows: 1_000 }));
  const { signIn, open, read } = studio;
  const heading = (name: string) => studio.page.getByRole('heading', { name, level: 1 }).waitFor();

  it('takes a number with decimals key by key', async () => {
    await signIn();
    await studio.page.getByRole('link', { name: 'New query of /shop/orders' }).click();
    await studio.page.getByLabel(/^Name/).fill('decimals');
    await studio.page.getByLabel(/^Rows of/).selectOption('orders');
    await studio.page.getByRole('button', { name: '+ Filter' }).click();
    const filter = studio.page.getByRole('group', { name: 'Filter 1' });
    await filter.getByLabel('Field').selectOption('total');
    const value = filter.getByLabel('Value', { exact: true });
    for (const typed of ['1.5', '-2.25', '1.05', '0.5']) {
      await value.fill('');
      await value.pressSequentially(typed);
      expect(await value.inputValue()).toBe(typed);
    }
    await studio.page.getByRole('button', { name: 'Add to the page' }).click();
    await studio.page.getByText(/^Added: it answers at/).waitFor();
    expect(read('resources/orders/model.ts')).toContain("'total', 'eq', 0.5)");
  });

  it('keeps the values of a preview in line where one of them is missing', async () => {
    await signIn();
    await open('monthlyRevenue');
    await studio.page.getByRole('textbox', { name: 'Workspace' }).fill('');
    await studio.page.locator('.request-values .issues').waitFor();
    const heights = await studio.page.evaluate<number[]>(
      `[...document.querySelectorAll('.request-values input')].map((each) => each.getBoundingClientRect().height)`,
    );
    expect(new Set(heights.map(Math.round)).size).toBe(1);
  });

  it('is saved once while the keys of saving are held down', async () => {
    await signIn();
    await open('averageOrder');
    await heading('averageOrder');
    await studio.page.getByLabel('Endpoint').fill('/stats/held-down');
    const held = "dispatchEvent(new KeyboardEvent('keydown', { key: 's', ctrlKey: true }))";
    const asked: string[] = [];
    studio.page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await studio.page.evaluate(`${held}; ${held}; ${held};`);
    await studio.page.getByText(/^Saved:/).waitFor();
    expect(asked.filter((path) => path.endsWith('/ConfigureQuery'))).toHaveLength(1);
    expect(read(pageFile)).toContain("@Get('/stats/held-down')");
  });

  it('shows what the source says after a save that is undone at once', async () => {
    await signIn();
    await open('averageOrder');
    await heading('averageOrder');
    const before = await studio.page.getByLabel('Endpoint').inputValue();
    await studio.page.getByLabel('Endpoint').fill('/stats/undone');
    await studio.page.getByRole('button', { name: 'Save', exact: true }).click();
    await studio.page.getByText(/^Saved:/).waitFor();
    await studio.page.getByRole('button', { name: 'Undo last save' }).click();
    await studio.page.getByText('Taken back: 1 file has its text before.').waitFor();
    expect(read(pageFile)).not.toContain('/stats/undone');
    await eventually(async () => (await studio.page.getByLabel('Endpoint').inputValue()) === before, {
      describe: 'the form says what the source says',
    });
  });

  it('is not left with what is typed in it unless the person says so', async () => {
    const questions: string[] = [];
    let leave = false;
    studio.page.on('dialog', (dialog) => {
      questions.push(dialog.message());
      void (leave ? dialog.accept() : dialog.dismiss());
    });
    await signIn();
    await open('averageOrder');
    await heading('averageOrder');
    await studio.page.getByLabel('Endpoint').fill('/stats/not-saved');
    await studio.page.locator('h1').click();
    await studio.page.keyboard.press('n');
    await eventually(() => Promise.resolve(questions.length === 1), { describe: 'the question' });
    expect(await studio.page.getByLabel('Endpoint').inputValue()).toBe('/stats/not-saved');
    expect(studio.page.url()).toContain('@averageOrder');
    leave = true;
    await open('monthlyRevenue');
    await heading('monthlyRevenue');
    await open('averageOrder');
    await heading('averageOrder');
    expect(await studio.page.getByLabel('Endpoint').inputValue()).not.toBe('/stats/not-saved');
    expect(questions).toHaveLength(2);
  });

  it('is there with what was typed when the session has ended and the author has signed in again', async () => {
    await signIn();
    await open('averageOrder');
    await heading('averageOrder');
    await studio.page.getByLabel('Endpoint').fill('/stats/typed-before');
    // The session ends with the save: a preview that is still asked for must not hide the form before.
    const ended = '**/api/builder/ConfigureQuery';
    await studio.page.route(ended, (route) =>
      route.fulfill({ status: 401, contentType: 'application/problem+json', body: '{"code":"unauthenticated"}' }),
    );
    await studio.page.getByRole('button', { name: 'Save', exact: true }).click();
    const login = studio.page.getByLabel('Token of a platform owner');
    await login.waitFor();
    expect(await studio.page.getByLabel('Endpoint').isVisible()).toBe(false);
    await studio.page.unroute(ended);
    await login.fill(
      await studio.service.token({ role: 'platform_owner', subject: 'owner', email: 'owner@example.com' }),
    );
    await studio.page.getByRole('button', { name: 'Sign in' }).click();
    await heading('averageOrder');
    expect(await studio.page.getByLabel('Endpoint').inputValue()).toBe('/stats/typed-before');
    await studio.page.getByRole('button', { name: 'Save', exact: true }).click();
    await studio.page.getByText(/^Saved:/).waitFor();
  });

  it('is in no conflict with its own save, whose answer was lost', async () => {
    await signIn();
    await open('averageOrder');
    await heading('averageOrder');
    await studio.page.route('**/ConfigureQuery', async (route) => {
      await route.fetch();
      await route.fulfill({ status: 503, contentType: 'text/html', body: '<h1>Service Unavailable</h1>' });
    });
    await studio.page.getByLabel('Endpoint').fill('/stats/answer-lost');
    const save = studio.page.getByRole('button', { name: 'Save', exact: true });
    await save.click();
    await studio.page.getByText(/did not answer/).waitFor();
    await eventually(() => Promise.resolve(read(pageFile).includes('/stats/answer-lost')), { describe: 'the save' });
    await eventually(() => save.isDisabled(), { describe: 'nothing is left to save' });
    expect(await studio.page.getByText(/changed meanwhile|conflict/i).count()).toBe(0);
  });

  it('removes no query that another author changed since it was read', async () => {
    await signIn();
    await open('openOrders');
    await heading('openOrders');
    // What this author has read stays as it is: no reading after the edit is answered.
    await studio.page.route('**/GetPageStructure?**', () => undefined);
    studio.edit(pageFile, (text) => text.replace('/stats/open-orders', '/stats/of-another'));
    await studio.page.getByRole('button', { name: 'Remove', exact: true }).click();
    await studio.page.getByRole('button', { name: 'Really remove?' }).click();
    await studio.page.getByText(/is not the version that was expected/).waitFor();
    expect(read(pageFile)).toContain('/stats/of-another');
  });

  it('takes no single key as a command while a dialog is open', async () => {
    await signIn();
    await open('averageOrder');
    await studio.page.getByRole('button', { name: 'History' }).click();
    await studio.page.getByRole('heading', { name: /^History of/ }).waitFor();
    await studio.page.keyboard.press('n');
    await studio.page.keyboard.press('Escape');
    expect(studio.page.url()).toContain('@averageOrder');
  });

  it('is open in the frame in which its dialog appears, so that what is typed then goes into it', async () => {
    await signIn();
    const open = await studio.page.evaluate(`new Promise((known) => {
      new MutationObserver((_changes, observer) => {
        const form = document.querySelector('dialog.wide form');
        if (form === null) return;
        observer.disconnect();
        known(form.closest('dialog').open);
      }).observe(document.body, { childList: true, subtree: true });
      [...document.querySelectorAll('button')].find(({ innerText }) => innerText === '+ Page').click();
    })`);
    expect(open).toBe(true);
  });

  it('keeps the focus on what remains when a filter is removed, and when it is saved by a key', async () => {
    await signIn();
    await open('averageOrder');
    await heading('averageOrder');
    const focused = () =>
      studio.page.evaluate<string>(
        `document.activeElement === document.body ? 'lost' : document.activeElement.innerText`,
      );
    await studio.page.getByRole('button', { name: '+ Filter' }).click();
    await studio.page
      .getByRole('button', { name: /^Remove filter/ })
      .last()
      .press('Enter');
    await eventually(async () => (await focused()) === 'Only rows where', { describe: 'the focus is on the filters' });
    await studio.page.getByLabel('Endpoint').fill('/stats/saved-by-a-key');
    await studio.page.getByRole('button', { name: 'Save', exact: true }).press('Enter');
    await studio.page.getByText(/^Saved:/).waitFor();
    await eventually(async () => (await focused()) === 'averageOrder', { describe: 'the focus is on the heading' });
  });

  it('has the names of its previews in one line on a phone', async () => {
    await signIn();
    await studio.page.setViewportSize({ width: 360, height: 900 });
    await studio.page.evaluate("void (location.hash = '#/query/shop/orders@openOrders')");
    const tab = (name: string) => studio.page.getByRole('tab', { name }).boundingBox();
    await heading('openOrders');
    await studio.page.getByRole('tab', { name: 'On the page' }).waitFor();
    const [first, last] = [await tab('Chart'), await tab('On the page')];
    // Two lines of text would be higher.
    for (const box of [first, last]) expect(box?.height).toBeLessThan(45);
  });

  it.each(['#/nowhere', '#/query/shop/orders'])('is not shown for an address that leads to none: %s', async (hash) => {
    await signIn();
    await studio.page.evaluate(`void (location.hash = ${JSON.stringify(hash)})`);
    await heading(`There is nothing at ${hash}`);
    await studio.page.getByRole('link', { name: 'All queries' }).click();
    await heading('Queries');
  });

  it.each([
    ['#/query/shop/orders@gone', 'gone of /shop/orders is not there'],
    ['#/new/shop/gone', 'The page /shop/gone is not there'],
    ['#/draft/gone', 'The draft is not there'],
  ])('that is gone is a page with a heading and a way back: %s', async (hash, title) => {
    await signIn();
    await studio.page.evaluate(`void (location.hash = ${JSON.stringify(hash)})`);
    await heading(title);
    await studio.page.getByRole('link', { name: 'All queries' }).click();
    await heading('Queries');
  });
});

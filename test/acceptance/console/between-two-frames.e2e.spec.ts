/** What a person does in the frame in which a page changes counts for the page as it is then. */
import { describeInBrowser } from '../../support/browser';
import { keyboardSuite } from './keyboard-suite';

const tenantId = 'between-frames';

/** Waits until an element is in the page and answers what the expression is at that moment, before anything is drawn. */
const whenThere = (selector: string, expression: string, act: string): string => `new Promise((known) => {
  new MutationObserver((_changes, observer) => {
    const element = document.querySelector('${selector}');
    if (element === null) return;
    observer.disconnect();
    known(${expression});
  }).observe(document.body, { childList: true, subtree: true });
  ${act};
})`;

const pressed = (text: string): string =>
  `[...document.querySelectorAll('button')].find(({ innerText }) => innerText.startsWith('${text}')).click()`;

describeInBrowser('between two frames', () => {
  const suite = keyboardSuite(tenantId, 'between-frames-credit-1');
  const { tabOf, open, openCredit } = suite;

  it('an address is followed from the frame on in which the page appears', async () => {
    const page = await tabOf('ann');
    await page.addInitScript(`new MutationObserver((_changes, observer) => {
      if (document.querySelector('header.bar') === null) return;
      observer.disconnect();
      location.hash = '#/plans';
    }).observe(document, { childList: true, subtree: true })`);
    await page.goto(`${suite.platform.gatewayUrl}/console#/queue`);
    await page.waitForSelector('h1:has-text("Plans")');
    await page.context().close();
  });

  it('nothing is sent for values whose preview is not shown yet', async () => {
    const page = await tabOf('ann');
    const sent: unknown[] = [];
    await page.route('**/balance-credit', (route) => {
      sent.push(route.request().postDataJSON());
      return route.abort();
    });
    await openCredit(page);
    await page.evaluate(`(async () => {
      const amount = document.querySelector('#field-amount');
      amount.value = '2.00';
      amount.dispatchEvent(new Event('input', { bubbles: true }));
      for (let turn = 0; turn < 20; turn += 1) await null;
      amount.form.requestSubmit();
    })()`);
    await page.waitForSelector('.preview:has-text("2.00 USD")');
    expect(sent).toEqual([]);
    await page.context().close();
  });

  it('the focus is on the form that a key opens', async () => {
    const page = await tabOf('ann');
    await open(page, `#/workspaces/${tenantId}`, tenantId);
    await page.waitForSelector('button:has-text("Credit balance")');
    const focused = "document.activeElement === element.querySelector('h3')";
    expect(await page.evaluate(whenThere('form.action', focused, pressed('Credit balance')))).toBe(true);
    await page.context().close();
  });

  it('the focus is on the heading of the screen to which a key leads', async () => {
    const page = await tabOf('ann');
    await open(page, '#/queue', 'Work queue');
    const focused = 'document.activeElement === element';
    const there = whenThere('h1:not(.queue h1)', focused, "location.hash = '#/plans'");
    expect(await page.evaluate(there)).toBe(true);
    await page.context().close();
  });
});

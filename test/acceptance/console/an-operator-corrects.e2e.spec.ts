/** A refused creation in the console: what was typed is there to be changed, for hands and for keys. */
import type { Browser } from 'playwright-core';
import { describeInBrowser, launchBrowser } from '../../support/browser';
import { sharedPlatform, type SharedPlatform } from '../../support/shared-platform';
import { axeFindings, goTo } from './browser';
import { openSignedIn } from './screens';

describeInBrowser('the form of a creation', () => {
  let platform: SharedPlatform;
  let browser: Browser;

  beforeAll(async () => {
    platform = await sharedPlatform();
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  it('has the refused values when they are to be changed, and the focus', async () => {
    const { page } = await openSignedIn({
      platform,
      browser,
      token: await platform.token({ role: 'platform_owner' }),
    });
    await goTo(page, platform.gatewayUrl, '#/create', 'Create a workspace');
    const typed = {
      workspaceName: 'Long typed name',
      paymentMethodId: 'pm_unknown',
      billingName: 'Ann Lee',
      country: 'GB',
    };
    for (const [name, text] of Object.entries(typed)) await page.fill(`#field-${name}`, text);
    await page.selectOption('#field-planId', 'pro');
    await page.click('button:has-text("Create the workspace")');
    await page.waitForSelector('.outcome-refused');
    expect(await page.locator(':focus').innerText()).toBe('Refused');
    await page.click('button:has-text("Change the values")');
    for (const [name, text] of Object.entries({ ...typed, planId: 'pro' }))
      expect([name, await page.inputValue(`#field-${name}`)]).toEqual([name, text]);
    expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Create a workspace');
    expect(await axeFindings(page)).toEqual([]);
    await page.context().close();
  });

  it('of a plan stays while its currency is typed, and says what is no amount', async () => {
    const { page, complaints } = await openSignedIn({
      platform,
      browser,
      token: await platform.token({ role: 'platform_owner' }),
    });
    await goTo(page, platform.gatewayUrl, '#/plans', 'Plans');
    await page.fill('#field-plan-amount', '5,00');
    await page.waitForSelector('.preview:has-text("Write it like 1,234.56")');
    await page.fill('#field-plan-amount', '5000');
    await page.focus('#field-plan-currency');
    await page.keyboard.press('End');
    for (const key of ['Backspace', 'Backspace', 'Backspace', 'j', 'p', 'y']) await page.keyboard.press(key);
    await page.waitForSelector('.preview:has-text("5,000 JPY")');
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});

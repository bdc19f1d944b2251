/** The looks in which every screen is judged: wide and light, dark, and as narrow as a telephone. */
import { proofSize } from '@platform/testing';
import type { Page } from 'playwright-core';
import type { AxeRules } from '../../support/axe';

interface Look {
  readonly name: string;
  readonly width: number;
  readonly dark: boolean;
  readonly judged: AxeRules;
  /** What the name of a screenshot in this look ends with, and of which screens there is one. */
  readonly suffix: string;
  readonly screenshots: (screen: string) => boolean;
}

const looks: readonly Look[] = [
  { name: 'wide and light', width: 1360, dark: false, judged: 'all', suffix: '', screenshots: () => true },
  {
    name: 'wide and dark',
    width: 1360,
    dark: true,
    judged: 'colours',
    suffix: '-dark',
    screenshots: (screen) => screen === 'queue' || screen === 'case',
  },
  {
    name: 'at 360 pixels',
    width: 360,
    dark: false,
    judged: proofSize<AxeRules>({ lean: 'all but colours', full: 'all' }),
    suffix: '-narrow',
    screenshots: (screen) => screen === 'case',
  },
];

/** Each row is a tab: one that is turned from look to look; in the full proof every look opens every screen again. */
export const tabsOfLooks: readonly (readonly [string, readonly Look[]])[] = proofSize<typeof tabsOfLooks>({
  lean: [[looks.map(({ name }) => name).join(', '), looks]],
  full: looks.map((look) => [look.name, [look]]),
});

export async function takeLook(page: Page, { width, dark }: Look): Promise<void> {
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
}

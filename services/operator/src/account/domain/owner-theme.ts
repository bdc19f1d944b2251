/**
 * The theme of the owner's pages, set by the product. The gateway does not start with a colour whose contrast with its
 * text or with the cards of the pages is below WCAG 2.2 AA (4.5 to 1).
 */
import { z } from 'zod';

/** Background of the pages' cards in light and dark; `--card` in libs/design-parts/src/style.css is the same. */
const grounds = { light: '#ffffff', dark: '#18191b' } as const;
const least = 4.5;

const colour = z.string().regex(/^#[0-9a-f]{6}$/i, 'must be a colour such as #1a5fb4');

function channel(hex: string): number {
  const part = Number.parseInt(hex, 16) / 255;
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}

/** WCAG 2.2, relative luminance. */
function luminance(hex: string): number {
  const [red, green, blue] = [1, 3, 5].map((from) => channel(hex.slice(from, from + 2)));
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

/** From 1 to 21. */
export function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light! + 0.05) / (dark! + 0.05);
}

const textOn = (ground: string): string =>
  contrast(ground, '#ffffff') >= contrast(ground, '#14132e') ? '#ffffff' : '#14132e';

const given = z
  .strictObject({
    /** The product's name as owners know it. */
    name: z.string().trim().min(1).max(60),
    accent: colour.optional(),
    accentDark: colour.optional(),
    radius: z
      .string()
      .regex(/^\d{1,2}px$/, 'must be such as 8px')
      .optional(),
  })
  .refine(({ accent, accentDark }) => (accent === undefined) === (accentDark === undefined), {
    path: ['accentDark'],
    message: 'a colour for light needs one for dark, and the other way round',
  });

const readable = given.superRefine(({ accent, accentDark }, context) => {
  const pairs = { accent: [accent, grounds.light], accentDark: [accentDark, grounds.dark] } as const;
  for (const [name, [chosen, ground]] of Object.entries(pairs)) {
    if (chosen === undefined) continue;
    const ratio = Math.min(contrast(chosen, ground), contrast(chosen, textOn(chosen)));
    if (ratio < least)
      context.addIssue({
        code: 'custom',
        path: [name],
        message: `is too hard to read: its contrast is ${ratio.toFixed(2)}, and 4.5 is needed`,
      });
  }
});

export const ownerThemeSchema = z.strictObject({
  name: z.string(),
  accent: colour.optional(),
  accentDark: colour.optional(),
  onAccent: colour.optional(),
  onAccentDark: colour.optional(),
  radius: z.string().optional(),
});
export type OwnerTheme = z.output<typeof ownerThemeSchema>;

export const plainTheme: OwnerTheme = { name: 'Your workspace' };

/** Parses a variable of the environment: one JSON object. */
export const ownerThemeVariable = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      context.addIssue({ code: 'custom', message: 'is no JSON object' });
      return z.NEVER;
    }
  })
  .pipe(readable)
  .transform(({ accent, accentDark, ...rest }): OwnerTheme => ({
    ...rest,
    ...(accent !== undefined && { accent, onAccent: textOn(accent) }),
    ...(accentDark !== undefined && { accentDark, onAccentDark: textOn(accentDark) }),
  }));

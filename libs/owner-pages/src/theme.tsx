/**
 * The theme of a product: its name, its colour for light and dark, its corners. The gateway checks the contrast of both
 * colours before it starts, so a theme cannot make a button unreadable.
 */
import { useDocumentTitle } from '@platform/design-parts';
import { useEffect, useState } from 'preact/hooks';

export interface OwnerTheme {
  readonly name: string;
  readonly accent?: string;
  readonly accentDark?: string;
  readonly onAccent?: string;
  readonly onAccentDark?: string;
  readonly radius?: string;
}

const plainTheme: OwnerTheme = { name: 'Your workspace' };

function apply({ accent, accentDark, onAccent, onAccentDark, radius }: OwnerTheme): void {
  const { style } = document.documentElement;
  if (accent && accentDark) style.setProperty('--accent', `light-dark(${accent}, ${accentDark})`);
  if (onAccent && onAccentDark) style.setProperty('--on-accent', `light-dark(${onAccent}, ${onAccentDark})`);
  if (radius) style.setProperty('--radius', radius);
}

/** Plain until the gateway has answered, and when it has no theme. */
export function useTheme(): OwnerTheme {
  const [theme, setTheme] = useState(plainTheme);
  useEffect(() => {
    void fetch('/account/theme')
      .then((answer) => (answer.ok ? (answer.json() as Promise<OwnerTheme>) : plainTheme))
      .catch(() => plainTheme)
      .then((read) => {
        apply(read);
        setTheme(read);
      });
  }, []);
  useDocumentTitle(theme.name);
  return theme;
}

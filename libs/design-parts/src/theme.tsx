/** Light, dark, or the system's setting; stored in this browser. */
import { useEffect, useState } from 'preact/hooks';

const themes = ['system', 'light', 'dark'] as const;
type ThemeName = (typeof themes)[number];
const themeKey = 'workspace-platform.theme';

function stored(): ThemeName {
  const name = localStorage.getItem(themeKey);
  return themes.find((each) => each === name) ?? 'system';
}

export function Theme() {
  const [theme, setTheme] = useState(stored);
  useEffect(() => {
    if (theme === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme;
    localStorage.setItem(themeKey, theme);
  }, [theme]);
  const next = themes[(themes.indexOf(theme) + 1) % themes.length]!;
  return (
    <button
      type="button"
      class="small"
      onClick={() => setTheme(next)}
      title={`Theme: ${theme}. Change to ${next}.`}
      aria-label={`Theme: ${theme}. Change to ${next}`}
    >
      <span aria-hidden="true">{theme === 'system' ? '◐' : theme === 'light' ? '○' : '●'}</span>
    </button>
  );
}

/** The current value of a colour in the style sheet, for a canvas, which accepts no variables. */
export function colour(name: string): string {
  const probe = document.createElement('i');
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const computed = getComputedStyle(probe).color;
  probe.remove();
  return computed;
}

/** The progress of an import: for a person one line that is updated, for a file one line per tenth. */
import type { ImportProgress } from './import-rows';

export interface Screen {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const width = 30;

export function createProgressBar(screen: Screen): { show(progress: ImportProgress): void; end(): void } {
  let tenth = -1;
  let shown = false;
  return {
    show({ bytes, totalBytes, imported, refused }) {
      const share = totalBytes === 0 ? 1 : Math.min(1, bytes / totalBytes);
      const figures = `${String(Math.floor(share * 100)).padStart(3)} %  ${imported.toLocaleString('en')} rows${refused > 0 ? `, ${refused.toLocaleString('en')} refused` : ''}`;
      if (screen.isTTY) {
        const full = Math.round(share * width);
        screen.write(`\r[${'█'.repeat(full)}${'·'.repeat(width - full)}] ${figures}\u001b[K`);
        shown = true;
      } else if (Math.floor(share * 10) > tenth) {
        tenth = Math.floor(share * 10);
        screen.write(`${figures}\n`);
      }
    },
    end() {
      if (shown) screen.write('\n');
    },
  };
}

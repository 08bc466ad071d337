import type { Settings } from '../../../schema/settings.ts'
import { keptSettings } from '../../ui/hooks/kept-settings.ts'

/** Matches while the system prefers dark colours. */
export const darkSystem = '(prefers-color-scheme: dark)'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = Settings['theme']

function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  colourBrowser(theme)
}

/** Colours the browser's own bar like the current theme. */
function colourBrowser(theme: Theme): void {
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')) {
    const { scheme = '' } = meta.dataset
    const ofChosen = scheme === theme ? 'all' : 'not all'
    meta.media = theme === 'system' ? `(prefers-color-scheme: ${scheme})` : ofChosen
  }
}

export function nameTheme(theme: Theme): string {
  return { system: 'System', light: 'Light', dark: 'Dark' }[theme]
}

/** Gives the page its theme, wallpaper and text size, before its first paint and from then on. */
export function applyLooks(): void {
  apply(keptSettings.getSnapshot())
  keptSettings.subscribe(() => apply(keptSettings.getSnapshot()))
}

function apply({ theme, wallpaper, textSize }: Settings): void {
  applyTheme(theme)
  const { dataset } = document.documentElement
  dataset.wallpaper = wallpaper
  if (textSize === 'medium') delete dataset.textSize
  else dataset.textSize = textSize
}

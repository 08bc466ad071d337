const themeKey = 'theme'

/** Matches while the system prefers dark colours. */
export const darkSystem = '(prefers-color-scheme: dark)'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

/** The theme chosen on this device; by default the system's. */
export function readTheme(): Theme {
  const kept = localStorage.getItem(themeKey)
  return themes.find((theme) => theme === kept) ?? 'system'
}

/** Stores the choice on this device and applies it. */
export function chooseTheme(theme: Theme): void {
  localStorage.setItem(themeKey, theme)
  applyTheme(theme)
}

export function applyTheme(theme: Theme): void {
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

import type { Settings } from '../../../schema/settings.ts'
import { keptSettings } from '../../ui/settings/kept-settings.ts'
import { applyTheme } from './theme.ts'

/** Gives the page its theme, wallpaper and text size, before its first paint and from then on. */
export function applyLooks(): void {
  apply(keptSettings.getSnapshot())
  keptSettings.subscribe(() => apply(keptSettings.getSnapshot()))
}

function apply({ theme, wallpaper, textSize }: Settings): void {
  applyTheme(theme)
  const { dataset } = document.documentElement
  if (wallpaper === 'plain') delete dataset.wallpaper
  else dataset.wallpaper = wallpaper
  if (textSize === 'medium') delete dataset.textSize
  else dataset.textSize = textSize
}

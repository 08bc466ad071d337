import type { LiveSource } from '../../ui/hooks/use-live-value.ts'
import { type SuggestedMode, suggestedModes } from './emoji-categories.ts'
import { type EmojiStyle, emojiStyles } from './emoji-styles.ts'

/** In the order of an emoji's skins. */
export const skinToneNames = [
  'Default',
  'Light',
  'Medium-Light',
  'Medium',
  'Medium-Dark',
  'Dark',
] as const

/** The plain one and the five shades, as indexes into an emoji's skins. */
export const skinTones = [0, 1, 2, 3, 4, 5] as const
export type SkinTone = (typeof skinTones)[number]

export interface EmojiSettings {
  style: EmojiStyle
  skinTone: SkinTone
  suggestedMode: SuggestedMode
}

const settingsKey = 'emojiSettings'
const listeners = new Set<() => void>()
let now: EmojiSettings | undefined

/** This device's emoji settings, stored in the browser. */
export const emojiSettings: LiveSource<EmojiSettings> = {
  getSnapshot() {
    now ??= readSettings(readKept())
    return now
  },
  subscribe(listener) {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}

export function changeEmojiSettings(change: Partial<EmojiSettings>): void {
  now = { ...emojiSettings.getSnapshot(), ...change }
  try {
    localStorage.setItem(settingsKey, JSON.stringify(now))
  } catch {
    // The setting lasts until the page closes.
  }
  for (const listener of listeners) listener()
}

/** Unreadable settings count as unset. */
function readSettings(kept: unknown): EmojiSettings {
  const chosen: Record<string, unknown> = { ...(typeof kept === 'object' && kept) }
  return {
    style: emojiStyles.find((style) => style === chosen.style) ?? 'native',
    skinTone: skinTones.find((tone) => tone === chosen.skinTone) ?? 0,
    suggestedMode: suggestedModes.find((mode) => mode === chosen.suggestedMode) ?? 'frequent',
  }
}

function readKept(): unknown {
  try {
    return JSON.parse(localStorage.getItem(settingsKey) ?? '{}')
  } catch {
    return {}
  }
}
